import { createHash } from 'node:crypto'
import { readdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelId } from '@lswap/core'
import { makePrivateDir } from '../state/state-dir.ts'

/** Saving stops when less of the disk is free. */
const FREE_SHARE = 0.1
const SLOT_NAME = /^([0-9a-f]{16})-([0-9a-f]{16})-(\d{1,6})$/

/** What a saved slot belongs to: a model, what exactly it was computed by, and the slot's number. */
export interface SlotName {
  readonly model: ModelId
  /** Of the process, its program and its weights: the state of others is of no use, or worse. */
  readonly key: string
  readonly slot: number
}

/** The names of slots are hashes: nothing of a model's name reaches the file system. */
const short = (what: string): string => createHash('sha256').update(what).digest('hex').slice(0, 16)
const prefixOf = (model: ModelId, key: string): string => `${short(model)}-${short(key)}-`

export const fileNameOf = ({ model, key, slot }: SlotName): string => prefixOf(model, key) + String(slot)

/** Where engines save what their slots hold; for the agent's user alone, since it is what people wrote. */
export interface SlotFolder {
  readonly path: string
  /** Makes it: an engine that is told of a folder that is not there does not start. */
  make(): Promise<void>
  /** Numbers of the slots that are saved for this key, ascending. What is saved of the model for other keys is removed. */
  saved(model: ModelId, key: string): Promise<readonly number[]>
  remove(name: SlotName): Promise<void>
  /** Removes what belongs to no such model. */
  keepOnly(models: readonly ModelId[]): Promise<void>
  hasRoom(): Promise<boolean>
}

type Disk = (path: string) => Promise<{ readonly bavail: number; readonly blocks: number }>

export const openSlotFolder = (path: string, disk: Disk = statfs): SlotFolder => {
  const remove = (name: string): Promise<void> => rm(join(path, name), { force: true })
  return {
    path,
    make: () => makePrivateDir(path),
    async saved(model, key) {
      const [wanted, own] = [prefixOf(model, key), `${short(model)}-`]
      const slots: number[] = []
      for (const name of await readdir(path)) {
        if (name.startsWith(wanted)) slots.push(...numberIn(name))
        else if (name.startsWith(own)) await remove(name)
      }
      return slots.toSorted((a, b) => a - b)
    },
    remove: (name) => remove(fileNameOf(name)),
    async keepOnly(models) {
      const kept = new Set(models.map(short))
      const all = await readdir(path).catch(() => [])
      const strangers = all.filter((name) => SLOT_NAME.test(name) && !kept.has(name.slice(0, 16)))
      await Promise.all(strangers.map(remove))
    },
    async hasRoom() {
      const { bavail, blocks } = await disk(path)
      return bavail >= blocks * FREE_SHARE
    },
  }
}

const numberIn = (name: string): readonly number[] => {
  const slot = SLOT_NAME.exec(name)?.[3]
  return slot === undefined ? [] : [Number(slot)]
}
