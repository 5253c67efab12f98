import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { SCHEDULER_NAMES } from '@lswap/core'
import { POLICIES } from '../../../src/commands/simulate/command.ts'
import { main } from '../../../src/main.ts'
import { terminal } from '../../terminal.ts'

const lines = (...rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

const TRACE = lines(
  { kind: 'recorded', fleet: { loadMs: 2_000, stopMs: 100, msPerToken: 10, slots: 1 } },
  { at: 0, model: 'a', tokens: 100 },
  { at: 100, model: 'a', tokens: 100, priority: -1 },
  { at: 3_100, model: 'b', tokens: 50, priority: 5 },
)

const CONFIG = `
models:
  a:
    cmd: engine --port \${PORT}
    concurrencyLimit: 1
  b:
    cmd: engine --port \${PORT}
routing:
  scheduler: { use: fifo }
`

t.test('the trace that the help shows can be played, and so can the one of the hint', async (t) => {
  const help = terminal()
  await main(['simulate', '--help'], help)
  const cwd = scratch(t, { 'empty.ndjson': '' })
  const empty = terminal({ cwd })
  t.equal(await main(['simulate', 'empty.ndjson'], empty), 2)
  for (const text of [help.out(), empty.err()]) {
    const [trace = ''] = /\{"kind": "abab"[^}]*\}\}/.exec(text) ?? []
    const folder = scratch(t, { 'trace.ndjson': trace.replaceAll('\n', ' ') })
    t.equal(await main(['simulate', 'trace.ndjson'], terminal({ cwd: folder })), 0, trace)
  }
})

t.test('totals and the waits of each band', async (t) => {
  const io = terminal({ cwd: scratch(t, { 'trace.ndjson': TRACE }) })
  t.equal(await main(['simulate', 'trace.ndjson'], io), 0)
  // a is ready at 2 s and serves until 3 s and 4 s; b loads from 4.1 s to 6.1 s
  t.equal(
    io.out(),
    [
      'POLICY  SERVED  CUT  REFUSED  SWAPS  WASTED  MAKESPAN   IDLE  FAIR',
      'serial       3    0        0      2       0     6.6 s  0.0 s  1.00',
      '',
      'POLICY  BAND    COUNT    P50    P95    P99    MAX',
      'serial  urgent      1  3.0 s  3.0 s  3.0 s  3.0 s',
      'serial  normal      1  2.0 s  2.0 s  2.0 s  2.0 s',
      'serial  batch       1  2.9 s  2.9 s  2.9 s  2.9 s',
      '',
    ].join('\n'),
  )
  t.equal(io.err(), '')
})

t.test('--compare plays every scheduler there is; --policy one of them', async (t) => {
  t.same([...POLICIES].toSorted(), [...SCHEDULER_NAMES].toSorted())
  const io = terminal({ cwd: scratch(t, { 'trace.ndjson': TRACE }) })
  t.equal(await main(['simulate', 'trace.ndjson', '--compare', '--json'], io), 0)
  t.match(JSON.parse(io.out()), {
    trace: { file: 'trace.ndjson', requests: 3, head: { kind: 'recorded' } },
    results: [
      { policy: 'serial', result: { served: 3, swaps: 2, waits: { urgent: { count: 1, p95Ms: 3_000 } } } },
      { policy: 'fifo', result: { served: 3, swaps: 2 } },
    ],
  })
  const fifo = terminal({ cwd: scratch(t, { 'trace.ndjson': TRACE }) })
  t.equal(await main(['simulate', 'trace.ndjson', '--policy', 'fifo'], fifo), 0)
  t.match(fifo.out(), /^fifo +3/m)
  t.notMatch(fifo.out(), /serial/)
})

t.test('--config gives scheduler, models and limits', async (t) => {
  const cwd = scratch(t, {
    'trace.ndjson': TRACE,
    'lswap.yaml': CONFIG,
    'strict.yaml': CONFIG.replace('concurrencyLimit: 1', 'queueLimit: 1'),
  })
  const io = terminal({ cwd })
  t.equal(await main(['simulate', 'trace.ndjson', '--config', 'lswap.yaml', '--json'], io), 0)
  t.match(JSON.parse(io.out()), { results: [{ policy: 'fifo', result: { served: 3, rejections: {} } }] })
  const strict = terminal({ cwd })
  t.equal(await main(['simulate', 'trace.ndjson', '--config', 'strict.yaml', '--json'], strict), 0)
  t.match(JSON.parse(strict.out()), { results: [{ result: { served: 2, rejections: { queue_full: 1 } } }] })
})

t.test('mistakes in the files are told', async (t) => {
  const cwd = scratch(t, {
    'bad.ndjson': '{"kind": "recorded"}\n{"at": 1}\n',
    'other.ndjson': lines({ kind: 'recorded' }, { at: 0, model: 'c' }),
    'lswap.yaml': CONFIG,
  })
  const failing = async (...argv: readonly string[]): Promise<[number, string]> => {
    const io = terminal({ cwd })
    const code = await main(['simulate', ...argv], io)
    t.equal(io.out(), '')
    return [code, io.err()]
  }
  const missing = await failing('nowhere.ndjson')
  t.equal(missing[0], 2)
  t.match(missing[1], /Cannot read the trace nowhere\.ndjson: it does not exist/)
  const bad = await failing('bad.ndjson')
  t.equal(bad[0], 2)
  t.match(bad[1], /line 2: model: /)
  const unknown = await failing('other.ndjson', '--config', 'lswap.yaml')
  t.equal(unknown[0], 3)
  t.match(unknown[1], /asks for c, which the configuration does not have/)
  const config = await failing('other.ndjson', '--config', 'none.yaml')
  t.equal(config[0], 2)
  t.match(config[1], /none\.yaml/)
})
