import type { MemoryNeed, ModelConfig } from '@lswap/core'
import type { DeviceClock } from './clock.ts'
import { estimateBytes } from '../estimate/estimate.ts'
import { definitionHash } from '../process/definition-hash.ts'
import type { Peak } from '../state/peaks-file.ts'

export interface NeedsOptions {
  readonly models: () => readonly ModelConfig[]
  readonly peakOf: (model: ModelConfig) => Peak | undefined
  /** Whether there is memory other than the machine's. */
  readonly hasCards: () => Promise<boolean>
  readonly clock: Pick<DeviceClock, 'now'>
  readonly onChange: () => void
}

/** What models need on this machine: declared, else the most that they were seen to use, else by their files. */
export interface Needs {
  /** As far as it is known by now. */
  list(): readonly MemoryNeed[]
  /** Reads the files of those of which nothing is known, as far as that was not done lately. */
  estimate(): Promise<void>
  /** It may be others now: tells who wants to know, where it is. */
  look(): void
}

/** A file that is not there yet is looked for again after that. */
const AGAIN_MS = 60_000
/** Headers that are read at once. */
const AT_ONCE = 8

const plain = (bytes: number | ReadonlyMap<string, number>): MemoryNeed['bytes'] =>
  typeof bytes === 'number' ? bytes : Object.fromEntries(bytes)

export const createNeeds = ({ models, peakOf, hasCards, clock, onChange }: NeedsOptions): Needs => {
  const estimates = new Map<string, number>()
  const triedAt = new Map<string, number>()
  let told = ''

  const needOf = (model: ModelConfig): MemoryNeed | undefined => {
    const { id, memory } = model
    if (memory !== undefined) return { model: id, bytes: plain(memory), source: 'declared' }
    const peak = peakOf(model)
    if (peak !== undefined) return { model: id, bytes: plain(peak), source: 'measured' }
    const estimate = estimates.get(definitionHash(model))
    return estimate === undefined ? undefined : { model: id, bytes: estimate, source: 'estimated' }
  }

  const list = (): readonly MemoryNeed[] => models().flatMap((model) => needOf(model) ?? [])

  const look = (): void => {
    const now = JSON.stringify(list())
    if (now === told) return
    told = now
    onChange()
  }

  const isDue = (model: ModelConfig): boolean =>
    clock.now() - (triedAt.get(definitionHash(model)) ?? -Infinity) >= AGAIN_MS

  let running: Promise<void> | undefined
  const estimate = async (): Promise<void> => {
    const open = models().filter((model) => needOf(model) === undefined && isDue(model))
    if (open.length === 0) return
    const onDevices = await hasCards()
    const next = async (): Promise<void> => {
      for (let model = open.pop(); model !== undefined; model = open.pop()) {
        triedAt.set(definitionHash(model), clock.now())
        const bytes = await estimateBytes(model, { onDevices }).catch(() => undefined)
        if (bytes !== undefined) estimates.set(definitionHash(model), bytes)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
    look()
  }

  return {
    list,
    look,
    estimate: () => {
      running ??= estimate().finally(() => {
        running = undefined
      })
      return running
    },
  }
}
