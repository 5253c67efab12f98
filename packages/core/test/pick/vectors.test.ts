import t from 'tap'
import { ERRORS } from '../../src/errors/table.ts'
import { modelId } from '../../src/ids.ts'
import { DROPPED, drop } from '../../src/pick/filter/drop.ts'
import { critical } from '../../src/pick/filter/critical.ts'
import type { Filter } from '../../src/pick/filter/filter.ts'
import { hasCapacity } from '../../src/pick/filter/has-capacity.ts'
import { leastKv } from '../../src/pick/filter/least-kv.ts'
import { leastQueue } from '../../src/pick/filter/least-queue.ts'
import { loraAffinity } from '../../src/pick/filter/lora-affinity.ts'
import { lowLoraCost } from '../../src/pick/filter/low-lora-cost.ts'
import { lowQueue } from '../../src/pick/filter/low-queue.ts'
import { runTree } from '../../src/pick/node.ts'
import type { FilterNode } from '../../src/pick/node.ts'
import type { PickStep } from '../../src/pick/picker.ts'
import { treePicker } from '../../src/pick/tree-picker.ts'
import { FILTER_TREE } from '../../src/pick/tree.ts'
import { hostsOf, sampledAt, scripted, seeded } from './fixtures.ts'
import { candidateOf, contextOf, distribution, kvOf, NODE_NAMES, vectors } from './vectors.ts'
import type { Vector } from './vectors.ts'

const FILTERS: Readonly<Record<string, Filter>> = {
  critical,
  drop,
  hasCapacity,
  leastKVCache: leastKv,
  leastQueuing: leastQueue,
  loraSoftAffinity: loraAffinity,
  lowLoRACost: lowLoraCost,
  lowQueue,
  alwaysFail: () => ({ error: 'filter error' }),
}

// The vectors speak of pods.
const FAILURES: Readonly<Record<string, string>> = { 'no pods left': 'no endpoint left' }

const treeOf = ({ target }: { readonly target: string }): FilterNode => {
  if (target === 'defaultTree') return FILTER_TREE
  const filter = FILTERS[target]
  if (filter === undefined) throw new Error(`no filter for ${target}`)
  return { name: target, filter }
}

const rollsOf = ({ affinityRoll }: Vector): number[] => (affinityRoll === undefined ? [] : [affinityRoll])

const stepsOf = (trace: readonly PickStep[]): object[] =>
  trace.map((step) => ({ filter: step.node, in: hostsOf(step.in), out: hostsOf(step.out), result: step.result }))

t.test('the file is whole', (t) => {
  t.equal(vectors.length, 69)
  t.equal(distribution.length, 2)
  t.end()
})

for (const vector of vectors) {
  t.test(vector.id, (t) => {
    const random = scripted(...rollsOf(vector))
    const trace: PickStep[] = []
    const input = { candidates: vector.pods.map(candidateOf), context: contextOf(vector, random) }
    const result = runTree(treeOf(vector), input, trace)

    const { survivors = [], failure, error } = vector.expect
    t.same(hostsOf(result.survivors), survivors)
    t.equal(random.drawn(), vector.rollsUsed)
    if (failure !== undefined) t.equal(result.error, FAILURES[failure] ?? failure)
    else t.equal(result.error, error?.raisedBy === 'drop filter' ? DROPPED.error : undefined)
    if (vector.trace !== undefined) {
      t.same(
        stepsOf(trace),
        vector.trace.map((step) => ({
          filter: NODE_NAMES[step.filter],
          in: step.in,
          out: step.out,
          result: step.result,
        })),
      )
    }
    t.end()
  })
}

// An unknown KV use is not a number that the picker would hand to the tree: see the snapshot's tests.
const throughPicker = vectors.filter(
  ({ target, pods }) => target === 'defaultTree' && !pods.some((pod) => Number.isNaN(kvOf(pod))),
)

for (const vector of throughPicker) {
  t.test(`${vector.id}, through the picker`, (t) => {
    const last = (vector.expect.survivors?.length ?? 0) > 1 ? [0.99] : []
    const random = scripted(...rollsOf(vector), ...last)
    const endpoints = vector.pods.map((pod) =>
      sampledAt(pod.name, {
        waiting: pod.waiting,
        kv: kvOf(pod),
        activeAdapters: pod.active,
        maxAdapters: pod.maxActive,
      }),
    )
    const { request } = vector
    if (request === undefined) throw new Error('a vector of the tree without a request')
    const answer = treePicker({ profile: 'seed' }, { random }).pick(
      { model: modelId('base'), criticality: request.criticality, adapter: request.resolvedTarget },
      endpoints,
      1_000,
    )
    t.equal(answer.chosen?.placement.host, vector.expect.survivors?.at(-1))
    t.equal(
      answer.chosen === undefined ? ERRORS[answer.failure.code].status : undefined,
      vector.expect.error?.httpStatus,
    )
    t.equal(random.drawn(), vector.rollsUsed + last.length)
    t.end()
  })
}

for (const vector of distribution) {
  t.test(vector.id, (t) => {
    const context = contextOf(vector, seeded(20_250_326))
    const candidates = vector.pods.map(candidateOf)
    const counts = new Map<string, number>()
    for (let turn = 0; turn < vector.iterations; turn += 1) {
      const [host = 'none'] = hostsOf(runTree(treeOf(vector), { candidates, context }, []).survivors)
      counts.set(host, (counts.get(host) ?? 0) + 1)
    }
    for (const [host, percent] of Object.entries(vector.expect)) {
      const got = ((counts.get(host) ?? 0) * 100) / vector.iterations
      t.ok(Math.abs(got - percent) <= vector.tolerancePercentPoints, `${host}: ${got} % for ${percent} %`)
    }
    t.equal(
      [...counts.values()].reduce((sum, count) => sum + count, 0),
      vector.iterations,
    )
    t.notOk(counts.has('none'))
    t.end()
  })
}
