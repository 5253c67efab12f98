import t from 'tap'
import { formatTrace, LswapError, readTrace, withoutPriorities } from '../../../src/index.ts'
import { rowAt } from '../../../src/simulate/trace/format-trace.ts'

const HEAD = { kind: 'abab', seed: 1, params: { models: 2, requests: 3, gapMs: 10, jitter: 0, tokens: 5 } }
const file = (...lines: readonly unknown[]): string =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
const failureOf = (text: string): { code: string; message: string; hint: string | undefined } => {
  try {
    readTrace(text)
  } catch (error) {
    if (error instanceof LswapError) return { ...error.failure, hint: error.failure.hint }
  }
  throw new Error('no error of ours was thrown')
}

t.test('requests as they stand in the file; what is left out has a plain value', async (t) => {
  const trace = readTrace(
    file(
      { kind: 'recorded', fleet: { loadMs: 5 } },
      { at: 0, model: 'a', priority: 3, caller: 'x', tokens: 7 },
      '',
      '  {"at": 2.5, "model": "b"}\r',
      { at: 2.5, model: 'a', priority: -1 },
    ),
  )
  t.equal(trace.length, 3)
  t.same(
    [0, 1, 2].map((place) => rowAt(trace, place)),
    [
      { at: 0, model: 'a', priority: 3, caller: 'x', tokens: 7 },
      { at: 2.5, model: 'b', priority: 0, caller: 'anonymous', tokens: 1 },
      { at: 2.5, model: 'a', priority: -1, caller: 'anonymous', tokens: 1 },
    ],
  )
  t.same(trace.models, ['a', 'b'])
  t.same(trace.head, { kind: 'recorded', fleet: { loadMs: 5 } })
})

t.test('the first line alone makes the requests again; lines that are there win', async (t) => {
  t.equal(readTrace(file(HEAD)).length, 3)
  const written = readTrace(file(HEAD, { at: 4, model: 'other' }))
  t.equal(written.length, 1)
  t.same(written.models, ['other'])
})

t.test('a trace that was written and read again is the same', async (t) => {
  const poisson = { models: 5, requests: 400, callers: 3, meanGapMs: 7.3, skew: 1.4, tokens: 9 }
  const head = { kind: 'poisson', seed: 9, params: { ...poisson, urgentShare: 0.2, batchShare: 0.3 } }
  const trace = readTrace(file(head))
  t.same(readTrace(formatTrace(trace)), trace)
})

t.test('without priorities all are equal, and counted by those that they had', async (t) => {
  const trace = readTrace(file({ kind: 'recorded' }, { at: 0, model: 'a', priority: 5 }))
  const flat = withoutPriorities(trace)
  t.same([...flat.priority], [0])
  t.same([...flat.countedAs], [5])
  t.same([...trace.priority], [5])
})

t.test('what is wrong is told with its line', async (t) => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['', /^the trace is empty$/],
    ['\n \n', /^the trace is empty$/],
    ['nonsense', /^line 1: it is not JSON/],
    [file({ kind: 'zigzag' }), /^line 1: kind: /],
    [file({ ...HEAD, seed: -1 }), /^line 1: seed: /],
    [file({ ...HEAD, params: { ...HEAD.params, gapms: 3 } }), /^line 1: params: .*gapms/],
    [file({ ...HEAD, params: { models: 2 } }), /^line 1: params\.requests: .*; params\.gapMs: /],
    [file({ ...HEAD, fleet: { slots: 0 } }), /^line 1: fleet\.slots: /],
    [file({ kind: 'recorded' }), /^line 1: a recorded trace needs a line for each request$/],
    [file(HEAD, '', '{"at": 1'), /^line 3: it is not JSON/],
    [file(HEAD, { at: 1 }), /^line 2: model: /],
    [file(HEAD, { at: 1, model: 'a', prio: 2 }), /^line 2: .*prio/],
    [file(HEAD, { at: 1, model: 'a', priority: 101 }), /^line 2: priority: /],
    [file(HEAD, { at: -1, model: 'a' }), /^line 2: at: /],
    [file(HEAD, [1, 2]), /^line 2: /],
    [file(HEAD, { at: 5, model: 'a' }, { at: 4, model: 'a' }), /^line 3: it arrives at 4, before .*\(5\)$/],
  ]
  for (const [text, message] of wrong) {
    const failure = failureOf(text)
    t.match(failure.message, message)
    t.equal(failure.code, 'invalid_trace')
    t.equal(failure.hint !== undefined, !/^line [2-9]/.test(failure.message), 'a hint where the first line is wrong')
  }
})

t.test('parameters that ask for more than fits are refused, and not followed for hours', async (t) => {
  const params = { models: 2, durationMs: 8_640_000_000, callers: 1, meanGapMs: 1, meanBurstGapMs: 1e9, burstSize: 1 }
  const head = { kind: 'bursts', seed: 1, params: { ...params, burstMs: 1, burstPriority: 0, tokens: 1 } }
  t.match(failureOf(file(head)).message, /more than 2000000 requests/)
})
