import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import t from 'tap'
import { modelId } from '../../src/ids.ts'
import type { Candidate, Endpoint } from '../../src/pick/endpoint.ts'
import type { PickAnswer, PickRequest, PickStep } from '../../src/pick/picker.ts'
import type { PickerSettings } from '../../src/pick/settings.ts'
import { treePicker } from '../../src/pick/tree-picker.ts'
import { endpointAt, seeded } from './fixtures.ts'

const NOW = 5_000
const adapters = ['x', 'y', 'z'] as const

const metrics = fc.record(
  {
    waiting: fc.oneof(fc.nat(8), fc.nat(400)),
    dispatchedSince: fc.nat(3),
    kv: fc.oneof(fc.constantFrom(0, 0.8, 1, Number.NaN), fc.double({ min: 0, max: 1.2, noNaN: true })),
    activeAdapters: fc.uniqueArray(fc.constantFrom(...adapters), { maxLength: 3 }),
    maxAdapters: fc.nat(3),
    sampledAt: fc.constantFrom(NOW, NOW - 2_000, NOW - 2_001, 0),
  },
  { requiredKeys: [] },
)

const endpoints: fc.Arbitrary<Endpoint[]> = fc
  .array(fc.tuple(fc.nat(6), fc.integer({ min: 1, max: 8 }), metrics), { maxLength: 9 })
  .map((rows) => rows.map(([inFlight, slots, rest], place) => endpointAt(`h${place}`, { inFlight, slots, ...rest })))

const request: fc.Arbitrary<PickRequest> = fc.record(
  {
    model: fc.constant(modelId('m')),
    criticality: fc.constantFrom('critical', 'standard', 'sheddable'),
    adapter: fc.constantFrom(...adapters),
  },
  { requiredKeys: ['model', 'criticality'] },
)

const settings: fc.Arbitrary<PickerSettings> = fc.record({ profile: fc.constantFrom('seed', 'llama') })

interface Situation {
  readonly request: PickRequest
  readonly endpoints: readonly Endpoint[]
  readonly settings: PickerSettings
  readonly seed: number
}

interface Run {
  readonly answer: PickAnswer
  readonly trace: readonly PickStep[]
  readonly draws: number
}

const situation: fc.Arbitrary<Situation> = fc.record({ request, endpoints, settings, seed: fc.integer() })

const decide = (given: Situation): Run => {
  const source = seeded(given.seed)
  let draws = 0
  const random = (): number => {
    draws += 1
    return source()
  }
  const answer = treePicker(given.settings, { random }).pick(given.request, given.endpoints, NOW)
  return { answer, trace: answer.trace ?? [], draws }
}

/** Checks every situation; fast-check's report of the smallest failing one is the assertion's message. */
const holds = (name: string, check: (run: Run, given: Situation) => void): void => {
  t.test(name, (t) => {
    t.doesNotThrow(() => {
      fc.assert(
        fc.property(situation, (given) => check(decide(given), given)),
        { numRuns: 500 },
      )
    })
    t.end()
  })
}

const isSubsequence = (part: readonly Candidate[], whole: readonly Candidate[]): boolean => {
  let place = 0
  for (const item of part) {
    const found = whole.indexOf(item, place)
    if (found === -1) return false
    place = found + 1
  }
  return true
}

/** The candidates as every decision of the situation sees them. */
const seenIn = (run: Run): readonly Candidate[] => run.trace[0]?.in ?? []
const seenAs = (run: Run, endpoint: Endpoint | undefined): Candidate | undefined =>
  seenIn(run).find((candidate) => candidate.endpoint === endpoint)

holds('each step keeps some of what it was given, in order', ({ trace }) => {
  assert.ok(trace.length > 0)
  for (const step of trace) assert.ok(isSubsequence(step.out, step.in), step.node)
})

holds('a step after a success gets what was kept, after a failure what the step before got', ({ trace }) => {
  for (const [place, step] of trace.entries()) {
    const before = trace[place - 1]
    if (before === undefined || step.node.startsWith('tier-') || before.node === 'drop') continue
    assert.equal(step.in, before.result === 'success' ? before.out : before.in)
    assert.equal(before.result, before.out.length > 0 ? 'success' : 'failure')
  }
})

holds('the chosen one was given, and survived the last step', ({ answer, trace }, given) => {
  if (answer.chosen === undefined) return
  assert.ok(given.endpoints.includes(answer.chosen))
  assert.ok(trace.at(-1)?.out.some(({ endpoint }) => endpoint === answer.chosen))
})

holds('critical requests are always placed when there is any endpoint', ({ answer }, given) => {
  if (given.request.criticality !== 'critical') return
  assert.equal(answer.chosen === undefined, given.endpoints.length === 0)
})

holds('a request is dropped only where no endpoint has capacity', (run, given) => {
  if (run.answer.chosen !== undefined) return
  assert.equal(run.trace.at(-1)?.node, 'drop')
  for (const { inFlight, slots, waiting, kv } of seenIn(run)) {
    const isIdle = given.settings.profile === 'llama' && inFlight === 0
    const limit = given.settings.profile === 'llama' ? slots : 5
    assert.ok(!isIdle && (waiting > limit || kv > 0.8))
  }
})

holds('one that is not critical never goes where there is no capacity', (run, given) => {
  const chosen = seenAs(run, run.answer.chosen)
  if (chosen === undefined || given.request.criticality === 'critical') return
  const { inFlight, slots, waiting, kv } = chosen
  if (given.settings.profile === 'llama') assert.ok(inFlight === 0 || (waiting <= slots && kv <= 0.8))
  else assert.ok(waiting <= 5 && kv <= 0.8)
})

holds('the same situation and seed give the same answer', ({ answer, draws }, given) => {
  const again = decide(given)
  assert.equal(again.answer.chosen, answer.chosen)
  assert.equal(again.answer.reason, answer.reason)
  assert.equal(again.draws, draws)
})

holds('it draws for two adapter groups and for two survivors, never else', ({ answer, trace, draws }, given) => {
  const target = given.request.adapter ?? given.request.model
  let expected = answer.chosen !== undefined && (trace.at(-1)?.out.length ?? 0) > 1 ? 1 : 0
  for (const step of trace) {
    if (step.node !== 'lora-affinity') continue
    const has = step.in.filter(({ activeAdapters }) => activeAdapters.includes(target))
    const room = step.in.filter((one) => !has.includes(one) && one.activeAdapters.length < one.maxAdapters)
    if (has.length > 0 && room.length > 0) expected += 1
  }
  assert.equal(draws, expected)
})

holds('one without a sample never beats a sampled one with as few own requests', (run, given) => {
  const chosen = seenAs(run, run.answer.chosen)
  if (chosen?.sample !== 'missing' || given.request.criticality !== 'critical') return
  assert.ok(seenIn(run).every((one) => one.sample !== 'fresh' || one.inFlight > chosen.inFlight))
})

holds('an old sample never serves a critical request that another endpoint can', (run, given) => {
  const chosen = seenAs(run, run.answer.chosen)
  if (chosen?.sample !== 'stale' || given.request.criticality !== 'critical') return
  assert.ok(seenIn(run).every(({ sample }) => sample === 'stale'))
})

holds('no metric is unknown to the filters', (run) => {
  for (const { waiting, kv, maxAdapters } of seenIn(run)) assert.ok([waiting, kv, maxAdapters].every(Number.isFinite))
})

t.test('one endpoint is taken with the words of the whole tree, or not at all', (t) => {
  const one = situation.filter(({ endpoints: [first] }) => first !== undefined)
  t.doesNotThrow(() => {
    fc.assert(
      fc.property(one, (given) => {
        const alone = { ...given, endpoints: given.endpoints.slice(0, 1) }
        const { answer, draws } = decide(alone)
        const picker = treePicker(alone.settings, { random: seeded(0) })
        const [only] = alone.endpoints
        assert.ok(only !== undefined && draws === 0)
        const reason = picker.takesOnly?.(alone.request, only, NOW)
        assert.equal(reason, answer.chosen === undefined ? undefined : answer.reason)
      }),
      { numRuns: 2_000 },
    )
  })
  t.end()
})
