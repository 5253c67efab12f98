import type { WaitCause } from '../schedule/scheduler.ts'
import { listText, placeText } from './text.ts'

/** A cause in a few words, also long after it held. */
export const causeLabel = (cause: WaitCause): string => {
  switch (cause.type) {
    case 'loading':
      return `loading ${placeText(cause.placement)}`
    case 'slots-full':
      return `slots full: ${cause.slots} of ${cause.slots} of ${placeText(cause.placement)}`
    case 'draining':
      return `draining ${listText(cause.models.map((placement) => placeText(placement)))}${cause.need === undefined ? '' : `, as it needs ${cause.need}`}`
    case 'swap-running':
      return `a swap to ${placeText(cause.placement)} runs`
    case 'stopping':
      return `stopping ${placeText(cause.placement)} first`
    case 'residency':
      return `${placeText(cause.placement)} was loaded only just now and is wanted`
    case 'held-for':
      return `held for request ${cause.request}`
    case 'stuck':
      return `${placeText(cause.placement)} would not end and keeps its memory`
    case 'cooldown':
      return `${placeText(cause.placement)} failed and is left alone for a while`
    case 'saturated':
      return `no replica takes it for now: ${cause.reason}`
    case 'caller-cap':
      return `its caller has ${cause.limit === 1 ? '1 request' : `${cause.limit} requests`} under way, as many as it may`
    case 'no-host':
      return 'no host that can be reached may run it'
    default:
      return cause satisfies never
  }
}
