import t from 'tap'
import { formatTrace, readTrace, type Trace, type TraceRow } from '../../../src/index.ts'
import { rowAt } from '../../../src/simulate/trace/format-trace.ts'

const trace = (kind: string, params: object, seed = 1): Trace => readTrace(JSON.stringify({ kind, seed, params }))
const rows = (made: Trace): TraceRow[] => Array.from({ length: made.length }, (_, place) => rowAt(made, place))
const share = (made: Trace, wanted: (row: TraceRow) => boolean): number =>
  rows(made).filter((row) => wanted(row)).length / made.length

const ABAB = { models: 3, requests: 90, gapMs: 100, jitter: 0.5, tokens: 20 }
const POISSON = {
  models: 4,
  requests: 20_000,
  callers: 5,
  meanGapMs: 40,
  skew: 2,
  tokens: 30,
  urgentShare: 0.1,
  batchShare: 0.3,
}
const AGENTS = { models: 3, agents: 4, turns: 10, tasks: 5, thinkMs: 1_000, restMs: 60_000, msPerToken: 20, tokens: 40 }
const MIXED = {
  batchModels: 2,
  batches: 6,
  batchSize: 50,
  batchEveryMs: 100_000,
  batchTokens: 100,
  batchPriority: -20,
  interactiveModels: 3,
  callers: 4,
  meanGapMs: 1_000,
  tokens: 30,
  urgentShare: 0.25,
  urgentPriority: 7,
}
const BURSTS = {
  models: 3,
  durationMs: 1_000_000,
  callers: 3,
  meanGapMs: 5_000,
  meanBurstGapMs: 100_000,
  burstSize: 30,
  burstMs: 500,
  burstPriority: -3,
  tokens: 25,
}
const CONVERSATIONS = {
  conversations: 40,
  turns: 6,
  systems: 3,
  systemTokens: 500,
  turnTokens: 80,
  meanGapMs: 2_000,
  thinkMs: 5_000,
  msPerToken: 20,
  tokens: 60,
}
const ALL: readonly (readonly [string, object])[] = [
  ['abab', ABAB],
  ['poisson', POISSON],
  ['agents', AGENTS],
  ['mixed', MIXED],
  ['bursts', BURSTS],
  ['conversations', CONVERSATIONS],
]

for (const [kind, params] of ALL) {
  t.test(
    `${kind}: the same line gives the same requests, in order of arrival; another seed gives others`,
    async (t) => {
      const made = trace(kind, params)
      // As text: comparing tens of thousands of numbers one by one takes tap minutes
      t.ok(formatTrace(trace(kind, params)) === formatTrace(made))
      t.ok(String(trace(kind, params, 2).at) !== String(made.at))
      t.ok(made.at.every((at, place) => at >= (made.at[place - 1] ?? 0)))
    },
  )
}

t.test('abab: models in turn, gaps within the jitter', async (t) => {
  const made = rows(trace('abab', ABAB))
  t.same(
    made.slice(0, 7).map(({ model }) => model),
    ['m1', 'm2', 'm3', 'm1', 'm2', 'm3', 'm1'],
  )
  const gaps = made.slice(1).map(({ at }, place) => at - (made[place]?.at ?? 0))
  t.ok(gaps.every((gap) => gap >= 49.9 && gap <= 150.1))
  t.ok(Math.max(...gaps) - Math.min(...gaps) > 50, 'the jitter is used')
})

t.test('poisson: the mean gap, the shares of models and bands', async (t) => {
  const made = trace('poisson', POISSON)
  t.equal(made.length, 20_000)
  t.ok(Math.abs((made.at[made.length - 1] ?? 0) / made.length - 40) < 1)
  // Twice as popular as the next: 8/15, 4/15, 2/15, 1/15
  for (const [place, model] of ['m1', 'm2', 'm3', 'm4'].entries()) {
    const found = share(made, (row) => row.model === model)
    t.ok(Math.abs(found - 2 ** (3 - place) / 15) < 0.015, `${model} has ${found}`)
  }
  t.ok(Math.abs(share(made, ({ priority }) => priority > 0) - 0.1) < 0.01)
  t.ok(Math.abs(share(made, ({ priority }) => priority < 0) - 0.3) < 0.015)
  t.equal(made.callers.length, 5)
})

t.test('agents: each asks again within a second of its answer, one model a task', async (t) => {
  const made = rows(trace('agents', AGENTS))
  t.equal(made.length, 4 * 5 * 10)
  for (const agent of ['user-1', 'user-2', 'user-3', 'user-4']) {
    const own = made.filter(({ caller }) => caller === agent)
    t.equal(own.length, 50)
    for (const [place, row] of own.entries()) {
      const next = own[place + 1]
      if (next === undefined || place % 10 === 9) continue
      const think = next.at - row.at - row.tokens * 20
      if (think < -0.01 || think > 1_000.01) t.fail(`${agent} thinks for ${think} ms`)
      if (next.model !== row.model) t.fail(`${agent} changes its model within a task`)
    }
  }
})

t.test('mixed: batches at once and on their own models, people on theirs', async (t) => {
  const made = trace('mixed', MIXED)
  const batch = rows(made).filter(({ caller }) => caller === 'batch')
  t.equal(batch.length, 300)
  t.ok(batch.every(({ priority, model }) => priority === -20 && ['m1', 'm2'].includes(model)))
  const people = rows(made).filter(({ caller }) => caller !== 'batch')
  t.ok(Math.abs(people.length - 600) < 80, `${people.length} in 600 s`)
  t.ok(people.every(({ model }) => ['m3', 'm4', 'm5'].includes(model)))
  t.same(
    [...new Set(people.map(({ priority }) => priority))].toSorted((a, b) => a - b),
    [0, 7],
  )
})

t.test('bursts: many for one model within half a second, over a quiet background', async (t) => {
  const made = rows(trace('bursts', BURSTS))
  const burst = made.filter(({ priority }) => priority === -3)
  t.equal(burst.length % 30, 0)
  t.ok(burst.length > 0)
  const first = burst.slice(0, 30)
  t.ok((first.at(-1)?.at ?? Infinity) - (first[0]?.at ?? 0) <= 500)
  t.equal(new Set(first.map(({ model }) => model)).size, 1)
  const quiet = made.length - burst.length
  t.ok(Math.abs(quiet - 200) < 60, `${quiet} in the background`)
})

t.test('a turn of a conversation has all that was said before it, behind its system prompt', async (t) => {
  const byCaller = new Map<string, TraceRow[]>()
  for (const row of rows(trace('conversations', CONVERSATIONS)))
    byCaller.set(row.caller, [...(byCaller.get(row.caller) ?? []), row])
  t.equal(byCaller.size, 40)
  for (const [caller, turns] of byCaller) {
    t.equal(turns.length, 6, caller)
    for (const [place, { at, prompt }] of turns.entries()) {
      const before = turns[place - 1]
      const said = before?.prompt === undefined ? 500 : before.prompt.tokens + before.tokens
      t.ok(prompt !== undefined && prompt.tokens > said && prompt.systemTokens === 500, `${caller} turn ${place}`)
      if (before === undefined) continue
      t.match(prompt, { system: before.prompt?.system, conversation: before.prompt?.conversation })
      t.ok(at >= before.at + before.tokens * 20, 'after the answer')
    }
  }
})
