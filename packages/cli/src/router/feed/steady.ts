import type { FeedState, HostState, ModelState, WaitingState } from '@lswap/core/protocol'

/** An estimate may be off by this before it is told anew: nobody plans by less. */
const ESTIMATE_MS = 500
const ESTIMATE_SHARE = 0.1
/** What memory may change by: an engine's breathes all the time. */
const MEMORY_SHARE = 0.01
/** What the use of a device may change by. */
const USE_SHARE = 0.05

/** Keeps what was told where the new number says the same to a person, so that trembling figures make no events. */
export const steady = (before: FeedState, seen: FeedState, now: number): FeedState => {
  const waiting = new Map(before.waiting.map((one) => [one.id, one]))
  const hosts = new Map(before.hosts.map((one) => [one.host, one]))
  const models = new Map(before.models.map((one) => [one.model, one]))
  return {
    ...seen,
    waiting: seen.waiting.map((one) => steadyEstimate(waiting.get(one.id)?.estimate, one, now)),
    hosts: seen.hosts.map((one) => steadyDevices(hosts.get(one.host), one)),
    models: seen.models.map((one) => steadyMemory(models.get(one.model), one)),
  }
}

const steadyEstimate = (told: WaitingState['estimate'] | undefined, one: WaitingState, now: number): WaitingState => {
  const { estimate } = one
  if (told == null || estimate === null) return one
  const isClose = (a: number, b: number): boolean =>
    Math.abs(a - b) <= Math.max(ESTIMATE_MS, Math.abs(b - now) * ESTIMATE_SHARE)
  const isRight =
    isClose(told.lowAt, estimate.lowAt) &&
    isClose(told.medianAt, estimate.medianAt) &&
    isClose(told.highAt, estimate.highAt) &&
    told.isLimit === estimate.isLimit
  return isRight ? { ...one, estimate: told } : one
}

const steadyMemory = (told: ModelState | undefined, one: ModelState): ModelState => ({
  ...one,
  placements: one.placements.map((placement) => {
    const old = told?.placements.find(({ host, pid }) => host === placement.host && pid === placement.pid)?.memoryBytes
    const { memoryBytes } = placement
    if (old == null || memoryBytes === null || Math.abs(old - memoryBytes) > memoryBytes * MEMORY_SHARE)
      return placement
    return { ...placement, memoryBytes: old }
  }),
})

const steadyDevices = (told: HostState | undefined, one: HostState): HostState => ({
  ...one,
  devices: one.devices.map((device) => {
    const old = told?.devices.find(({ name }) => name === device.name)
    if (old === undefined) return device
    const usedBytes = kept(old.usedBytes, device.usedBytes, (device.totalBytes ?? 0) * MEMORY_SHARE)
    return { ...device, usedBytes, use: kept(old.use, device.use, USE_SHARE) }
  }),
})

const kept = (told: number | null, seen: number | null, by: number): number | null =>
  // What ends at nothing is told: a device at rest is not nearly at rest
  told === null || seen === null || seen === 0 || Math.abs(told - seen) > by ? seen : told
