import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../logs/logger.ts'

/** The most that a definition of a model was seen to use, in bytes by device. */
export type Peak = ReadonlyMap<string, number>

/** Peaks by the hash of what they were measured of. */
export type Peaks = ReadonlyMap<string, Peak>

/** Definitions remembered; the oldest are forgotten first. */
const MAX_PEAKS = 1_000

export interface PeaksFile {
  read(): Promise<Peaks>
  /** Never fails: what can not be written is measured again by the next agent. */
  write(peaks: Peaks): Promise<void>
}

const isSize = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0

const peakOf = (value: unknown): Peak | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const entries = Object.entries(value)
  return entries.every((entry): entry is [string, number] => isSize(entry[1])) ? new Map(entries) : undefined
}

const parse = (text: string): Peaks => {
  try {
    const value: unknown = JSON.parse(text)
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
    return new Map(
      entries.flatMap(([hash, each]) => {
        const peak = peakOf(each)
        return peak === undefined ? [] : [[hash, peak] as const]
      }),
    )
  } catch {
    return new Map()
  }
}

/** Of an agent whose state directory can not be used. */
export const NO_PEAKS: PeaksFile = { read: async () => new Map(), write: async () => {} }

export const openPeaksFile = (stateDir: string, log: Logger): PeaksFile => {
  const path = join(stateDir, 'peaks.json')
  let isSaid = false
  return {
    // Missing, or half of an older disk's: then nothing was measured yet.
    read: async () => parse(await readFile(path, 'utf8').catch(() => '')),
    async write(peaks) {
      const draft = `${path}.new`
      const kept = [...peaks].slice(-MAX_PEAKS).map(([hash, peak]) => [hash, Object.fromEntries(peak)] as const)
      try {
        await writeFile(draft, JSON.stringify(Object.fromEntries(kept)), { mode: 0o600 })
        await rename(draft, path)
        isSaid = false
      } catch (error) {
        if (!isSaid) log.warn({ err: error, path }, 'what was measured of engines could not be written')
        isSaid = true
        await rm(draft, { force: true }).catch(() => {})
      }
    },
  }
}
