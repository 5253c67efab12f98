import t from 'tap'
import type { Endpoint, PickAnswer, PickRequest } from '../../../src/pick/picker.ts'
import { HeldPrefixes } from '../../../src/pick/prefix/held.ts'
import { prefixPicker } from '../../../src/pick/prefix/prefix-picker.ts'
import type { PickerSettings } from '../../../src/pick/settings.ts'
import { treePicker } from '../../../src/pick/tree-picker.ts'
import { printTree } from '../../../src/pick/node.ts'
import { PREFIX_TREE } from '../../../src/pick/tree.ts'
import { critical, endpointAt, sampledAt, seeded, sheddable } from '../fixtures.ts'

const CHAIN = [1, 2, 3, 4]
const asked: PickRequest = { ...critical, prefix: CHAIN }

const holding = (blocks: number): Pick<Endpoint, 'prefixes'> => {
  const held = new HeldPrefixes()
  held.note(CHAIN.slice(0, blocks))
  return { prefixes: held }
}

const ask = (request: PickRequest, endpoints: Endpoint[], settings: PickerSettings = {}): PickAnswer =>
  prefixPicker(settings, { random: seeded(1) }).pick(request, endpoints, 0)

/** The same questions to both, with the same numbers drawn. */
const besideTree = (pool: Endpoint[], request: PickRequest) => {
  const [prefix, tree] = [prefixPicker({}, { random: seeded(3) }), treePicker({}, { random: seeded(3) })]
  return Array.from({ length: 50 }, () => [prefix.pick(request, pool, 0), tree.pick(request, pool, 0)] as const)
}

const hostOf = (answer: PickAnswer): string | undefined => answer.chosen?.placement.host

t.test('a conversation goes back to who holds it, and it is said', async (t) => {
  const answer = ask(asked, [
    sampledAt('a', { slots: 4, kv: 0.1 }),
    sampledAt('b', { slots: 4, inFlight: 2, kv: 0.5, ...holding(3) }),
  ])
  t.equal(hostOf(answer), 'b')
  t.equal(
    answer.reason,
    "the filter tree kept this one of 2 ready replicas; it holds the first 3 of the prompt's 4 blocks",
  )
  t.match(
    answer.trace?.map(({ node }) => node),
    ['critical', 'low-queue', 'lora-affinity', 'longest-prefix', 'least-queue', 'least-kv'],
  )
})

t.test('a holder whose queue is worse is passed over, and it is said', async (t) => {
  const answer = ask(asked, [endpointAt('a', { slots: 4 }), endpointAt('b', { slots: 4, inFlight: 3, ...holding(3) })])
  t.equal(hostOf(answer), 'a')
  t.match(
    answer.reason,
    /; b holds the first 3 of the prompt's 4 blocks and has the worse queue: 3 wait there, 0 elsewhere$/,
  )
})

t.test('of two holders the longer one, of equal ones the shorter queue', async (t) => {
  t.equal(
    hostOf(
      ask(asked, [
        endpointAt('a', { slots: 4, ...holding(2) }),
        endpointAt('b', { slots: 4, inFlight: 1, ...holding(3) }),
      ]),
    ),
    'b',
  )
  const equal = [2, 0, 1].map((inFlight, at) => endpointAt(`h${at}`, { slots: 8, inFlight, ...holding(3) }))
  t.equal(hostOf(ask(asked, equal)), 'h1')
})

t.test('without a prefix, or with one that nobody holds, it is the tree', async (t) => {
  const endpoints = ['a', 'b', 'c', 'd'].map((host, at) => sampledAt(host, { slots: 4, ...holding(at) }))
  const others = endpoints.map(({ prefixes: _prefixes, ...endpoint }) => endpoint)
  for (const [mine, its] of [...besideTree(endpoints, critical), ...besideTree(others, asked)]) {
    t.equal(mine.chosen, its.chosen)
    t.equal(mine.reason, its.reason)
  }
})

t.test('capacity goes before prefixes, for those who may wait', async (t) => {
  const full = sampledAt('full', { slots: 4, inFlight: 1, kv: 0.9, ...holding(4) })
  const room = sampledAt('room', { slots: 4, inFlight: 1 })
  const answer = ask({ ...sheddable, prefix: CHAIN }, [full, room])
  t.equal(hostOf(answer), 'room')
  t.match(answer.reason, /; full holds the first 4 of the prompt's 4 blocks and has no capacity$/)
  t.equal(hostOf(ask(asked, [full, room])), 'full', 'who is critical is not gated')
  t.equal(hostOf(ask({ ...sheddable, prefix: CHAIN }, [full])), undefined, 'nor is the only one exempt')
})

t.test('old metrics go before prefixes', async (t) => {
  const old = sampledAt('old', { slots: 4, sampledAt: -5_000, ...holding(4) })
  const answer = ask(asked, [old, sampledAt('fresh', { slots: 4 })])
  t.equal(hostOf(answer), 'fresh')
  t.match(answer.reason, /; old holds .* and has no recent metrics$/)
})

t.test('the adapter goes before prefixes', async (t) => {
  const holder = sampledAt('holder', { slots: 4, maxAdapters: 1, ...holding(4) })
  const loaded = sampledAt('loaded', { slots: 4, activeAdapters: ['x'], maxAdapters: 1 })
  const answer = ask({ ...asked, adapter: 'x' }, [holder, loaded])
  t.equal(hostOf(answer), 'loaded')
  t.match(answer.reason, /; holder holds .* and lacks its adapter$/)
})

t.test('a long queue goes before prefixes', async (t) => {
  const long = sampledAt('long', { slots: 1, waiting: 9, ...holding(4) })
  const answer = ask(asked, [long, sampledAt('short', { slots: 1 })], { prefixQueueThreshold: 100 })
  t.equal(hostOf(answer), 'short')
  t.match(answer.reason, /; long holds .* and has a long queue$/)
})

t.test('one replica is taken with the words of the tree', async (t) => {
  const picker = prefixPicker({}, { random: seeded(1) })
  const only = endpointAt('a', { slots: 4, ...holding(4) })
  t.equal(picker.takesOnly?.(asked, only, 0), picker.pick(asked, [only], 0).reason)
  t.equal(picker.name, 'prefix')
})

t.test('it is the tree with one more step on each way', async (t) => {
  t.equal(
    printTree(PREFIX_TREE),
    [
      'critical',
      '  success: low-queue',
      '    success: lora-affinity',
      '      either: longest-prefix',
      '        either: least-queue',
      '          either: least-kv',
      '    failure: longest-prefix',
      '      either: least-queue',
      '        either: lora-affinity',
      '          either: least-kv',
      '  failure: has-capacity',
      '    success: longest-prefix',
      '      either: least-queue',
      '        either: lora-affinity',
      '          either: least-kv',
      '    failure: drop',
    ].join('\n'),
  )
})
