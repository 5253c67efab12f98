import t from 'tap'
import type { Endpoint, PickAnswer, PickRequest } from '../../src/pick/picker.ts'
import type { PickerSettings } from '../../src/pick/settings.ts'
import { treePicker } from '../../src/pick/tree-picker.ts'
import { critical, endpointAt, hostsOf, sampledAt, scripted, seeded, sheddable } from './fixtures.ts'

const ask = (request: PickRequest, endpoints: Endpoint[], settings: PickerSettings = {}): PickAnswer =>
  treePicker(settings, { random: scripted() }).pick(request, endpoints, 0)

const hostOf = (answer: PickAnswer): string | undefined => answer.chosen?.placement.host

t.test('every survivor has the same chance', (t) => {
  const picker = treePicker({}, { random: seeded(7) })
  const endpoints = ['a', 'b', 'c', 'd'].map((host) => sampledAt(host))
  const counts = new Map<string | undefined, number>()
  for (let turn = 0; turn < 8_000; turn += 1) {
    const host = hostOf(picker.pick(critical, endpoints, 0))
    counts.set(host, (counts.get(host) ?? 0) + 1)
  }
  t.equal(counts.size, 4)
  for (const [host, count] of counts) t.ok(Math.abs(count - 2_000) < 200, `${host}: ${count} of 8000`)
  t.end()
})

t.test('the draw picks by place, and a source that returns 1 takes the last', (t) => {
  const endpoints = ['a', 'b', 'c'].map((host) => sampledAt(host))
  const at = (roll: number): string | undefined =>
    hostOf(treePicker({}, { random: () => roll }).pick(critical, endpoints, 0))
  t.same([0, 0.34, 0.67, 1].map(at), ['a', 'b', 'c', 'c'])
  t.end()
})

t.test('one survivor is taken without a draw', (t) => {
  t.equal(hostOf(ask(critical, [sampledAt('a', { kv: 0.9 }), sampledAt('b', { kv: 0.1 })])), 'b')
  t.end()
})

t.test('affinity and survivor are drawn from one source, in this order', (t) => {
  const random = scripted(0.9991, 0.6)
  const lora = { activeAdapters: ['ad'], maxAdapters: 2 }
  const room = { activeAdapters: [], maxAdapters: 2 }
  const endpoints = [sampledAt('a', lora), sampledAt('b', room), sampledAt('c', room)]
  const answer = treePicker({}, { random }).pick({ ...critical, adapter: 'ad' }, endpoints, 0)
  t.equal(hostOf(answer), 'c')
  t.equal(random.drawn(), 2)
  t.end()
})

t.test('without an adapter the model is the target', (t) => {
  const endpoints = [
    sampledAt('a', { activeAdapters: ['x'], maxAdapters: 1 }),
    sampledAt('b', { activeAdapters: ['m'], maxAdapters: 1 }),
  ]
  t.equal(hostOf(ask(critical, endpoints)), 'b')
  t.equal(hostOf(ask({ ...critical, adapter: 'x' }, endpoints)), 'a')
  t.end()
})

t.test('saturation says what to do with the request, and why', (t) => {
  const full = [sampledAt('a', { inFlight: 1, kv: 0.81 }), sampledAt('b', { inFlight: 1, kv: 0.9 })]
  const waits = ask(sheddable, full)
  if (waits.chosen !== undefined) throw new Error('a full endpoint was chosen')
  t.equal(waits.onSaturation, 'wait')
  t.match(waits.failure, {
    code: 'resource_exhausted',
    message: 'dropping request due to limited backend resources',
    hint: /routing\.picker/,
  })
  t.match(waits.reason, /none of 2 ready replicas/)
  t.same(
    waits.trace.map(({ node }) => node),
    ['critical', 'has-capacity', 'drop'],
  )
  t.match(ask(sheddable, full, { onSaturation: 'shed' }), { chosen: undefined, onSaturation: 'shed' })
  t.end()
})

t.test('only critical requests skip the capacity gate', (t) => {
  const full = [sampledAt('a', { inFlight: 1, kv: 0.9 })]
  t.equal(hostOf(ask(critical, full)), 'a')
  t.equal(hostOf(ask({ ...critical, criticality: 'standard' }, full)), undefined)
  t.equal(hostOf(ask(sheddable, full)), undefined)
  t.end()
})

t.test('an empty pool is saturated, for critical requests too', (t) => {
  t.match(ask(critical, []), { chosen: undefined, failure: { code: 'resource_exhausted' } })
  t.end()
})

const withSlots = (inFlight: number, slots: number): Endpoint => sampledAt('a', { inFlight, slots })

t.test('llama: thresholds grow with the slots', (t) => {
  t.equal(hostOf(ask(sheddable, [withSlots(4, 4)])), 'a')
  t.equal(hostOf(ask(sheddable, [withSlots(5, 4)])), undefined)
  const traceOf = (endpoint: Endpoint): object | undefined => ask(critical, [endpoint]).trace?.[1]
  t.match(traceOf(withSlots(15, 4)), { node: 'low-queue', result: 'success' })
  t.match(traceOf(withSlots(16, 4)), { node: 'low-queue', result: 'failure' })
  t.end()
})

t.test('llama: a replica without own requests passes the capacity gate whatever it reports', (t) => {
  const busy = { kv: 0.99, waiting: 50 }
  t.equal(hostOf(ask(sheddable, [sampledAt('a', busy)])), 'a')
  t.equal(hostOf(ask(sheddable, [sampledAt('a', { ...busy, inFlight: 1 })])), undefined)
  t.equal(hostOf(ask(sheddable, [sampledAt('a', busy)], { profile: 'seed' })), undefined)
  t.end()
})

t.test('a burst between two samples spreads', (t) => {
  for (const profile of ['llama', 'seed'] as const) {
    const picker = treePicker({ profile }, { random: seeded(3) })
    const own = new Map([
      ['a', 0],
      ['b', 0],
      ['c', 0],
    ])
    for (let turn = 0; turn < 9; turn += 1) {
      const endpoints = [...own].map(([host, count]) =>
        sampledAt(host, { inFlight: count, dispatchedSince: count, slots: 4 }),
      )
      const host = hostOf(picker.pick(critical, endpoints, 0)) ?? 'none'
      own.set(host, (own.get(host) ?? 0) + 1)
    }
    t.same([...own.values()], [3, 3, 3], profile)
  }
  t.end()
})

t.test('a replica with old metrics serves only when no other can', (t) => {
  const old = sampledAt('old', { sampledAt: -2_001 })
  const full = sampledAt('full', { inFlight: 1, kv: 0.9 })
  t.equal(hostOf(ask(critical, [old, full])), 'full')
  const backup = ask(sheddable, [old, full])
  t.equal(hostOf(backup), 'old')
  t.match(backup.reason, /metrics are old/)
  t.same(
    backup.trace?.filter(({ node }) => node.startsWith('tier-')).map((step) => [step.node, hostsOf(step.out)]),
    [
      ['tier-sampled', ['full']],
      ['tier-stale', ['old']],
    ],
  )
  t.end()
})

t.test('a replica without metrics is behind sampled ones, and not excluded', (t) => {
  const bare = endpointAt('bare', { inFlight: 1 })
  t.equal(hostOf(ask(critical, [bare, sampledAt('full', { inFlight: 1, kv: 0.9 })])), 'full')
  const answer = ask(sheddable, [bare, sampledAt('full', { inFlight: 1, kv: 0.9 })])
  t.equal(hostOf(answer), 'bare')
  t.match(answer.reason, /no metrics yet/)
  t.equal(hostOf(ask(critical, [endpointAt('a', { inFlight: 1, slots: 2 }), endpointAt('b', { slots: 2 })])), 'b')
  t.end()
})

t.test('staleAfterMs is configurable, and without a clock nothing is stale', (t) => {
  const old = sampledAt('old', { sampledAt: -2_001 })
  const full = sampledAt('full', { kv: 0.9 })
  t.equal(hostOf(ask(critical, [old, full], { staleAfterMs: 3_000 })), 'old')
  t.equal(hostOf(treePicker({}, { random: scripted() }).pick(critical, [old, full])), 'old')
  t.end()
})

t.test('a tree of its own', (t) => {
  const last = { name: 'last', filter: (given: readonly unknown[]) => given.slice(-1) as never }
  const picker = treePicker({}, { random: scripted(), tree: last })
  t.equal(hostOf(picker.pick(critical, [sampledAt('a'), sampledAt('b')], 0)), 'b')
  const none = treePicker({}, { random: scripted(), tree: { name: 'none', filter: () => [] } })
  t.match(none.pick(critical, [sampledAt('a')], 0), { chosen: undefined, failure: { code: 'resource_exhausted' } })
  t.end()
})

t.test('the reason counts', (t) => {
  t.equal(ask(critical, [sampledAt('a')]).reason, 'the filter tree kept this one of 1 ready replicas')
  const two = treePicker({}, { random: () => 0 }).pick(critical, [sampledAt('a'), sampledAt('b')], 0)
  t.equal(two.reason, 'the filter tree kept 2, chance took this one, of 2 ready replicas')
  t.end()
})
