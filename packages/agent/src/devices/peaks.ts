import type { ModelConfig } from '@lswap/core'
import { definitionHash } from '../process/definition-hash.ts'
import type { Peak, Peaks, PeaksFile } from '../state/peaks-file.ts'
import type { DeviceClock } from './clock.ts'
import type { Devices } from './devices.ts'
import { useOf, type Uses } from './uses.ts'

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
  /** Who uses what, whenever that was asked. */
  readonly onUses?: (uses: Uses) => void
  /** A peak is another than before. */
  readonly onPeak?: () => void
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

const larger = (known: Peak | undefined, seen: Peak): Peak => {
  const peak = new Map(known)
  for (const [device, bytes] of seen) peak.set(device, Math.max(bytes, peak.get(device) ?? 0))
  return peak
}

const isNews = (known: Peak | undefined, seen: Peak): boolean =>
  [...seen].some(([device, bytes]) => bytes > (known?.get(device) ?? 0) * WORTH)

export const createPeakBook = async (options: PeakBookOptions): Promise<PeakBook> => {
  const { file, sensors, clock, running, onUses, onPeak } = options
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
    onUses?.({ devices, processes })
    const seen = new Map<number, Peak>()
    let isGrown = false
    for (const each of measured) {
      const use = useOf(each.pid, { devices, processes })
      if (use === undefined) continue
      seen.set(each.pid, use)
      isGrown = note(each, use) || isGrown
    }
    uses = seen
    if (isGrown) onPeak?.()
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
