import t from 'tap'
import type { Filter } from '../../src/pick/filter/filter.ts'
import { printTree, runTree } from '../../src/pick/node.ts'
import type { FilterNode } from '../../src/pick/node.ts'
import type { PickStep } from '../../src/pick/picker.ts'
import { thresholdsOf } from '../../src/pick/settings.ts'
import { FILTER_TREE } from '../../src/pick/tree.ts'
import { hostsOf, scripted } from './fixtures.ts'
import { candidateOf } from './vectors.ts'

const candidates = ['a', 'b', 'c'].map((name) => candidateOf({ name, waiting: 0, kv: 0, active: [], maxActive: 0 }))
const context = { critical: true, target: 'm', thresholds: thresholdsOf({}), random: scripted() }

const only =
  (...hosts: string[]): Filter =>
  (given) =>
    given.filter(({ endpoint }) => hosts.includes(endpoint.placement.host))

const run = (root: FilterNode): { readonly hosts: string[]; readonly nodes: string[]; readonly trace: PickStep[] } => {
  const trace: PickStep[] = []
  const { survivors } = runTree(root, { candidates, context }, trace)
  return { hosts: hostsOf(survivors), nodes: trace.map(({ node }) => node), trace }
}

const all: FilterNode = { name: 'all', filter: (given) => given }
const other: FilterNode = { name: 'other', filter: only('c') }

t.test('a success hands on what was kept', (t) => {
  const { hosts, nodes } = run({ name: 'ab', filter: only('a', 'b'), onSuccess: all, onFailure: other })
  t.same(nodes, ['ab', 'all'])
  t.same(hosts, ['a', 'b'])
  t.end()
})

t.test('a failure undoes the filter', (t) => {
  const { hosts, trace } = run({ name: 'none', filter: only(), onSuccess: other, onFailure: all })
  t.same(hosts, ['a', 'b', 'c'])
  t.same(
    trace.map(({ in: given, out, result }) => ({ in: given.length, out: out.length, result })),
    [
      { in: 3, out: 0, result: 'failure' },
      { in: 3, out: 3, result: 'success' },
    ],
  )
  t.end()
})

t.test('a failure undoes only its own node, not the ones before', (t) => {
  const none: FilterNode = { name: 'none', filter: only(), onEither: all }
  t.same(run({ name: 'ab', filter: only('a', 'b'), onSuccess: none }).hosts, ['a', 'b'])
  t.end()
})

t.test('onEither follows where the exact successor is absent, and only there', (t) => {
  t.same(run({ name: 'ab', filter: only('a'), onEither: all }).nodes, ['ab', 'all'])
  t.same(run({ name: 'none', filter: only(), onEither: all }).nodes, ['none', 'all'])
  t.same(run({ name: 'ab', filter: only('a'), onSuccess: other, onEither: all }).nodes, ['ab', 'other'])
  t.same(run({ name: 'none', filter: only(), onFailure: other, onEither: all }).nodes, ['none', 'other'])
  t.end()
})

t.test('without a successor the result of the node is that of the tree', (t) => {
  t.same(run({ name: 'ab', filter: only('a', 'b'), onFailure: all }).hosts, ['a', 'b'])
  t.same(run({ name: 'none', filter: only(), onSuccess: all }).hosts, [])
  t.end()
})

t.test('an error is a failure, and is told where it ends the walk', (t) => {
  const failing: FilterNode = { name: 'failing', filter: () => ({ error: 'too bad' }) }
  const trace: PickStep[] = []
  const ended = runTree(failing, { candidates, context }, trace)
  t.same(ended, { survivors: [], error: 'too bad' })
  t.match(trace, [{ node: 'failing', result: 'failure', error: 'too bad' }])
  t.equal(runTree({ ...failing, onFailure: all }, { candidates, context }, []).error, undefined)
  t.end()
})

t.test('the tree can be printed', (t) => {
  t.equal(
    printTree(FILTER_TREE),
    [
      'critical',
      '  success: low-queue',
      '    success: lora-affinity',
      '      either: least-queue',
      '        either: least-kv',
      '    failure: least-queue',
      '      either: lora-affinity',
      '        either: least-kv',
      '  failure: has-capacity',
      '    success: least-queue',
      '      either: lora-affinity',
      '        either: least-kv',
      '    failure: drop',
    ].join('\n'),
  )
  t.end()
})
