import type { ModelConfig } from '@lswap/core'
import { definitionHash } from '../process/definition-hash.ts'
import { residentBytes, treeOf } from '../process/process-table.ts'
import type { Peak, Peaks, PeaksFile } from '../state/peaks-file.ts'
import type { DeviceClock } from './clock.ts'
import type { Devices } from './devices.ts'

/** From ready to the first look: what an engine takes for its first requests should be in it. */
const FIRST_LOOK_MS = 2_000
/** Engines take what they need when they load; what they take later comes slowly. */
const LOOK_MS = 30_000
/** A peak that grew by less is not worth a write. */
const WORTH = 1.01

/** A process that is ready. */
export interface Measured {
  readonly model: ModelConfig
  readonly pid: number
}

export interface PeakBookOptions {
  readonly file: PeaksFile
  readonly sensors: Devices
  readonly clock: DeviceClock
  readonly running: () => readonly Measured[]
}

/** What engines were seen to use at most, kept over restarts. */
export interface PeakBook {
  /** What a start of this definition will need, as far as an earlier one showed. */
  peakOf(model: ModelConfig): Peak | undefined
  /** What the process uses now, by device, as of the last look. */
  lastUse(pid: number): Peak | undefined
  /** A process became ready. */
  noteReady(): void
  /** Looks now. */
  look(): Promise<void>
  close(): Promise<void>
}

/** Adds up what the process and everything below it use on each device. */
const useOf = async (pid: number, { devices, processes }: Uses): Promise<Peak | undefined> => {
  const family = new Set([pid, ...treeOf(pid).map((each) => each.pid)])
  const use = new Map<string, number>()
  for (const { device, pid: owner, bytes } of processes) {
    if (family.has(owner)) use.set(device, (use.get(device) ?? 0) + bytes)
  }
  if (use.size > 0) return use
  const [only, ...others] = devices
  // Where the machine's memory is the only one, an engine's own memory is all of it
  const resident = only !== undefined && others.length === 0 && isMachine(only.source) ? residentBytes(pid) : undefined
  return only === undefined || resident === undefined ? undefined : new Map([[only.name, resident]])
}

interface Uses {
  readonly devices: readonly { readonly name: string; readonly source: string }[]
  readonly processes: readonly { readonly device: string; readonly pid: number; readonly bytes: number }[]
}

const isMachine = (source: string): boolean => source === 'host' || source === 'apple'

const larger = (known: Peak | undefined, seen: Peak): Peak => {
  const peak = new Map(known)
  for (const [device, bytes] of seen) peak.set(device, Math.max(bytes, peak.get(device) ?? 0))
  return peak
}

const isNews = (known: Peak | undefined, seen: Peak): boolean =>
  [...seen].some(([device, bytes]) => bytes > (known?.get(device) ?? 0) * WORTH)

export const createPeakBook = async ({ file, sensors, clock, running }: PeakBookOptions): Promise<PeakBook> => {
  const peaks = new Map<string, Peak>(await file.read())
  let uses: ReadonlyMap<number, Peak> = new Map()
  let cancel: (() => void) | undefined
  let writing: Promise<void> = Promise.resolve()
  let isClosed = false

  const note = ({ model }: Measured, use: Peak): boolean => {
    const hash = definitionHash(model)
    const known = peaks.get(hash)
    if (!isNews(known, use)) return false
    // Anew at the end: the oldest are forgotten first
    peaks.delete(hash)
    peaks.set(hash, larger(known, use))
    return true
  }

  const look = async (): Promise<void> => {
    const measured = running()
    if (measured.length === 0) return
    const [{ devices }, processes] = await Promise.all([sensors.known(), sensors.processes()])
    const seen = new Map<number, Peak>()
    let isGrown = false
    for (const each of measured) {
      const use = await useOf(each.pid, { devices, processes })
      if (use === undefined) continue
      seen.set(each.pid, use)
      isGrown = note(each, use) || isGrown
    }
    uses = seen
    if (isGrown) writing = writing.then(() => file.write(new Map<string, Peak>(peaks) satisfies Peaks))
    await writing
  }

  const lookIn = (ms: number): void => {
    cancel?.()
    if (isClosed) return
    cancel = clock.after(ms, () => {
      cancel = undefined
      void look().finally(() => {
        if (cancel === undefined && running().length > 0) lookIn(LOOK_MS)
      })
    })
  }

  return {
    peakOf: (model) => peaks.get(definitionHash(model)),
    lastUse: (pid) => uses.get(pid),
    noteReady: () => lookIn(FIRST_LOOK_MS),
    look,
    async close() {
      isClosed = true
      cancel?.()
      await writing
    },
  }
}
