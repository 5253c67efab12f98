import type { DeviceBytes } from '@lswap/core'
import type { DeviceClock } from './clock.ts'
import type { DeviceReading } from './reading.ts'

/** At most this long a start waits for memory that engines gave back. */
export const MEMORY_WAIT_MS = 10_000
/** Memory that did not change for so long will not come any more. */
const STEADY_MS = 500
const POLL_MS = 50
/** Less is noise: drivers and desktops take and free a little all the time. */
const NOISE_BYTES = 16 * 2 ** 20

/** What a model needs, by device, or all together. */
export type Need = DeviceBytes | number

export interface MemoryWaitOptions {
  readonly need: Need
  /** The devices before an engine was ended for this; undefined: none was. */
  readonly before: readonly DeviceReading[] | undefined
  /** What is known by now. */
  readonly known: () => Promise<readonly DeviceReading[]>
  /** Reads the devices anew. */
  readonly look: () => Promise<readonly DeviceReading[]>
  readonly clock: DeviceClock
  readonly signal: AbortSignal
  /** The need is not met yet. */
  readonly onWait: () => void
}

/** Free bytes by device, of those that tell. */
type Free = ReadonlyMap<string, number>

const freeOf = (readings: readonly DeviceReading[]): Free =>
  new Map(
    readings.flatMap(({ name, totalBytes, usedBytes }) =>
      totalBytes === null || usedBytes === null ? [] : [[name, totalBytes - usedBytes] as const],
    ),
  )

/** Undefined: nobody can tell. */
const fits = (need: Need, free: Free): boolean | undefined => {
  if (free.size === 0) return undefined
  if (typeof need === 'number') return need <= [...free.values()].reduce((sum, each) => sum + each, 0)
  const wanted = [...need].filter(([, bytes]) => bytes > 0)
  if (wanted.some(([device]) => !free.has(device))) return undefined
  return wanted.every(([device, bytes]) => bytes <= (free.get(device) ?? 0))
}

/** Whether the need is known not to be met by what was read. */
export const isShort = (need: Need, readings: readonly DeviceReading[]): boolean =>
  fits(need, freeOf(readings)) === false

const hasRisen = (now: Free, before: Free): boolean =>
  [...now].some(([device, bytes]) => bytes > (before.get(device) ?? 0) + NOISE_BYTES)

const differ = (a: Free, b: Free): boolean =>
  [...a].some(([device, bytes]) => Math.abs(bytes - (b.get(device) ?? 0)) > NOISE_BYTES)

/**
 * Waits until the next model fits into what is really free: an engine's end and its memory's are not the same moment. What is
 * asked is whether it fits, not how much was given back: others take and free memory meanwhile, and it may have been
 * free before. Where it will not fit it is tried nevertheless: once nothing changes any more, but not before the engine
 * that was ended has given anything back, which may take seconds and comes at once.
 */
export const waitForMemory = async (options: MemoryWaitOptions): Promise<void> => {
  const { need, before, known, look, clock, signal, onWait } = options
  const began = clock.now()
  let isComing = before === undefined
  // Older than the last exit, perhaps: since then it became more, if anything
  if (fits(need, freeOf(await known())) !== false) return
  let reference: Free | undefined
  let since = began
  while (!signal.aborted) {
    const free = freeOf(await look())
    if (fits(need, free) !== false) return
    isComing ||= hasRisen(free, freeOf(before ?? []))
    const now = clock.now()
    if (reference === undefined || differ(free, reference)) {
      if (reference === undefined) onWait()
      reference = free
      since = now
    }
    if ((isComing && now - since >= STEADY_MS) || now - began >= MEMORY_WAIT_MS) return
    await pause(clock, signal)
  }
}

const pause = (clock: DeviceClock, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wake = (): void => {
      cancel()
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(POLL_MS, wake)
    signal.addEventListener('abort', wake, { once: true })
  })
