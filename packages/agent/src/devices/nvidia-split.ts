import type { DeviceClock } from './clock.ts'
import { readSplitDevices, splitReading, type SliceUse, type SplitDevices } from './nvidia-mig.ts'
import type { DeviceReading } from './reading.ts'

/** How often split devices are read: the page is long, and each costs a start of the tool. */
const LOOK_MS = 10_000
/** A device whose use is not told may be split, or be of a kind that never tells. */
const NOT_SPLIT_MS = 300_000

export interface SplitOptions {
  readonly clock: Pick<DeviceClock, 'now'>
  /** The page of the tool; undefined: it failed. */
  readonly page: () => Promise<string | undefined>
  /** What was read of the devices, by their ids. */
  readonly known: ReadonlyMap<string, DeviceReading>
}

/** Devices that are split (MIG), told as their parts. */
export interface SplitWatch {
  /** All devices, the split ones as their parts as of the last look. */
  readings(): readonly DeviceReading[]
  /** Looks anew, where something is split. */
  look(): Promise<void>
  isSplit(uuid: string): boolean
  processes(): readonly SliceUse[]
}

const NONE: SplitDevices = { slices: new Map(), processes: [] }

export const watchSplit = ({ clock, page, known }: SplitOptions): SplitWatch => {
  let split = NONE
  let readAt = 0
  let dueAt = -Infinity
  let looking: Promise<void> | undefined

  const read = async (): Promise<void> => {
    const xml = await page()
    if (xml === undefined) return
    split = readSplitDevices(xml, (uuid) => known.get(uuid)?.name)
    readAt = clock.now()
    dueAt = readAt + (split.slices.size > 0 ? LOOK_MS : NOT_SPLIT_MS)
  }

  const look = (): Promise<void> => {
    dueAt = clock.now() + LOOK_MS
    looking ??= read().finally(() => {
      looking = undefined
    })
    return looking
  }

  /** The use of a device that is split can not be told. */
  const maySplit = (): boolean => [...known.values()].some(({ use }) => use === null)

  return {
    readings: () => {
      if (clock.now() >= dueAt && maySplit()) void look()
      return [...known].flatMap(([uuid, reading]) => {
        const parts = split.slices.get(uuid)
        return parts === undefined ? [reading] : splitReading(reading, parts, readAt)
      })
    },
    look: async () => {
      if (split.slices.size > 0) await look()
    },
    isSplit: (uuid) => split.slices.has(uuid),
    processes: () => split.processes,
  }
}
