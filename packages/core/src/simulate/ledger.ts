import type { ErrorCode } from '../errors/table.ts'
import { BANDS, bandOf, type Band } from '../schedule/request.ts'
import { jainIndex, summariseWaits, type WaitSummary } from './waits.ts'
import type { Trace } from './trace/trace.ts'

const WAITING = 0
const RUNNING = 1
const ENDED = 2

/** What became of each request of a trace. */
export interface Ledger {
  /** Requests that have not ended. */
  readonly open: number
  readonly served: number
  /** Served requests that were cut short, as their model had to go. */
  readonly cut: number
  readonly rejections: ReadonlyMap<ErrorCode, number>
  granted(place: number, now: number): void
  rejected(place: number, code: ErrorCode): void
  /** False: it had ended before. */
  ended(place: number, now: number): boolean
  countCut(requests: number): void
  /** Served requests by model, in the order of the trace's models. */
  servedByModel(): Int32Array
  waits(): Record<Band, WaitSummary>
  /** Over callers: the share of a caller's time with the router in which it was being served. */
  jain(): number
}

export const createLedger = (trace: Trace): Ledger => {
  const state = new Uint8Array(trace.length)
  const grantedAt = new Float64Array(trace.length).fill(Number.NaN)
  const endedAt = new Float64Array(trace.length)
  const rejections = new Map<ErrorCode, number>()
  const counts = { open: trace.length, served: 0, cut: 0 }

  const waitOf = (place: number): number => (grantedAt[place] as number) - (trace.at[place] as number)
  const wasGranted = (place: number): boolean => !Number.isNaN(grantedAt[place])

  const waitsOf = (band: Band): WaitSummary => {
    const waits = new Float64Array(trace.length)
    let count = 0
    for (let place = 0; place < trace.length; place += 1) {
      if (!wasGranted(place) || bandOf(trace.countedAs[place] as number) !== band) continue
      waits[count] = waitOf(place)
      count += 1
    }
    return summariseWaits(waits.subarray(0, count))
  }

  const close = (place: number, now: number): void => {
    state[place] = ENDED
    endedAt[place] = now
    counts.open -= 1
  }

  return {
    get open() {
      return counts.open
    },
    get served() {
      return counts.served
    },
    get cut() {
      return counts.cut
    },
    rejections,
    granted: (place, now) => {
      if (state[place] !== WAITING) throw new Error(`request ${place + 1} is granted a second time`)
      state[place] = RUNNING
      grantedAt[place] = now
    },
    rejected: (place, code) => {
      if (state[place] !== WAITING) throw new Error(`request ${place + 1} is rejected after its end`)
      close(place, trace.at[place] as number)
      rejections.set(code, (rejections.get(code) ?? 0) + 1)
    },
    ended: (place, now) => {
      if (state[place] !== RUNNING) return false
      close(place, now)
      counts.served += 1
      return true
    },
    countCut: (requests) => {
      counts.cut += requests
    },
    servedByModel: () => {
      const served = new Int32Array(trace.models.length)
      for (let place = 0; place < trace.length; place += 1) {
        const model = trace.model[place] as number
        if (wasGranted(place)) served[model] = (served[model] as number) + 1
      }
      return served
    },
    waits: () => Object.fromEntries(BANDS.map((band) => [band, waitsOf(band)])) as Record<Band, WaitSummary>,
    jain: () => {
      const inService = new Float64Array(trace.callers.length)
      const inAll = new Float64Array(trace.callers.length)
      for (let place = 0; place < trace.length; place += 1) {
        if (!wasGranted(place)) continue
        const caller = trace.caller[place] as number
        const service = (endedAt[place] as number) - (grantedAt[place] as number)
        inService[caller] = (inService[caller] as number) + service
        inAll[caller] = (inAll[caller] as number) + service + waitOf(place)
      }
      const shares = [...inAll].map((all, caller) => (all === 0 ? 1 : (inService[caller] as number) / all))
      return jainIndex(shares)
    },
  }
}
