import { createScheduler, DEFAULT_FIFO, DEFAULT_SERIAL, optionsFor } from '../../packages/core/dist/src/index.js'
import { arrivalOrder } from './arrival-order.mjs'

const built = (policy) => (trace, fleet) => createScheduler(optionsFor(trace, fleet, { policy }))

/**
 * What is compared. `scheduler` makes a new one for a trace; `flat`: it hears of no priorities; `keyless`: all requests
 * have one caller; `bound`: the settings whose starvation bound it must keep, which says nothing of keys.
 */
export const POLICIES = [
  { name: 'arrival order', scheduler: arrivalOrder, flat: true },
  { name: 'fifo, no priorities', scheduler: built(DEFAULT_FIFO), flat: true },
  { name: 'fifo', scheduler: built(DEFAULT_FIFO) },
  { name: 'serial', scheduler: built(DEFAULT_SERIAL) },
  { name: 'serial, no keys', scheduler: built(DEFAULT_SERIAL), keyless: true, bound: DEFAULT_SERIAL },
]
