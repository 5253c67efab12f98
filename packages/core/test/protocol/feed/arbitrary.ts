import {
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  option,
  record,
  uniqueArray,
  type Arbitrary,
} from 'fast-check'
import type { FeedState } from '../../../src/protocol/feed/entities.ts'

const MODELS = ['a', 'b', 'org/c']
const at = integer({ min: 0, max: 9 })
const model = constantFrom(...MODELS)
const failure = option(constant({ code: 'start_failed', message: 'no' }), { nil: null })

/** Items with keys from few, so that two states share some, in any order. */
const list = <Item>(item: Arbitrary<Item>, keyOf: (item: Item) => string | number): Arbitrary<Item[]> =>
  uniqueArray(item, { maxLength: 5, selector: keyOf })

const asked = {
  id: integer({ min: 1, max: 6 }),
  model,
  band: constantFrom('urgent', 'normal', 'batch'),
  priority: integer({ min: -1, max: 1 }),
  caller: constant('anonymous'),
  receivedAt: at,
}

const waiting = record({
  ...asked,
  position: constant(0),
  attempts: integer({ min: 0, max: 1 }),
  estimate: option(record({ lowAt: at, medianAt: at, highAt: at }), { nil: null }),
  cause: option(record({ type: constant('loading'), text: constantFrom('x', 'y') }), { nil: null }),
})

const placement = record({
  host: constantFrom('local', 'far'),
  state: constantFrom('ready', 'loading', 'stopped'),
  since: at,
  slots: option(at, { nil: null }),
  inFlight: at,
  idleAt: option(at, { nil: null }),
  untilAt: option(at, { nil: null }),
  pid: option(at, { nil: null }),
  memoryBytes: option(at, { nil: null }),
  expectedLoadMs: option(at, { nil: null }),
  failure,
})

/** A state as a router may be in; places are those of the order. */
export const feedState: Arbitrary<FeedState> = record({
  router: record({ version: constant('1'), startedAt: at, isClosing: boolean() }),
  hosts: list(
    record({ host: constantFrom('local', 'far'), up: boolean(), devices: constant([]), failure: constant(null) }),
    ({ host }) => host,
  ),
  models: list(
    record({
      model,
      name: constant(null),
      aliases: uniqueArray(constantFrom('x', 'y')),
      state: constantFrom('ready', 'stopped'),
      pinned: boolean(),
      waiting: at,
      waitP95Ms: option(at, { nil: null }),
      placements: array(placement, { maxLength: 2 }),
    }),
    (one) => one.model,
  ),
  queue: record({
    total: at,
    bands: array(record({ band: constant('normal'), depth: at, dispatched: at }), { maxLength: 1 }),
  }),
  waiting: list(waiting, ({ id }) => id).map((line) => line.map((one, place) => ({ ...one, position: place + 1 }))),
  running: list(
    record({ ...asked, host: constant('local'), grantedAt: at, answeredAt: option(at, { nil: null }) }),
    ({ id }) => id,
  ),
  ended: list(
    record({
      ...asked,
      host: option(constant('local'), { nil: null }),
      outcome: constantFrom('done', 'rejected'),
      endedAt: at,
      failure,
    }),
    ({ id }) => id,
  ),
  swaps: list(
    record({
      generation: integer({ min: 1, max: 4 }),
      model,
      host: constant('local'),
      evict: uniqueArray(model),
      startedAt: at,
      phase: constantFrom('stopping', 'loading'),
      fraction: option(constantFrom(0, 0.5), { nil: null }),
      expectedLoadMs: option(at, { nil: null }),
      loadingAt: option(at, { nil: null }),
      endedAt: option(at, { nil: null }),
      result: option(constantFrom('ready', 'failed'), { nil: null }),
      failure,
    }),
    ({ generation }) => generation,
  ),
  rates: record({
    requestsPerSecond: at,
    tokensPerSecond: option(at, { nil: null }),
    swapsPerMinute: at,
    wastedLoads: at,
  }),
  notices: list(
    record({
      number: integer({ min: 1, max: 5 }),
      at,
      level: constantFrom('warn', 'error'),
      text: constant('x'),
      model: option(model, { nil: null }),
      host: constant(null),
    }),
    ({ number }) => number,
  ),
})
