import t from 'tap'
import { answerJson } from './support/answers.ts'
import { ask, until } from './support/ask.ts'
import { model } from './support/config.ts'
import type { FakeForward } from './support/fake-agent.ts'
import { startRig } from './support/rig.ts'
import { waits } from './support/waiting.ts'

const page = async (port: number): Promise<string> => (await ask(port, { path: '/metrics' })).text

const lines = (text: string, name: string): readonly string[] =>
  text.split('\n').filter((line) => line.startsWith(name) && !line.includes('_bucket'))

t.test('waits, first bytes, dispatches and swaps are counted', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}) })
  await ask(port, { body: '{"model":"a"}', headers: { 'X-Lswap-Priority': '3' } })
  await ask(port, { body: '{"model":"b"}', headers: { 'X-Lswap-Priority': '-3' } })
  await ask(port, { body: '{"model":"made-up"}' })
  const text = await page(port)
  t.equal(agent.swaps.length, 2)
  for (const line of [
    'lswap_queue_wait_seconds_count{model="a",band="urgent"} 1',
    'lswap_queue_wait_seconds_count{model="b",band="batch"} 1',
    'lswap_time_to_first_token_seconds_count{model="a"} 1',
    'lswap_request_duration_seconds_count{model="a"} 1',
    'lswap_request_duration_seconds_count{model="other"} 1',
    'lswap_requests_total{model="other",code="404"} 1',
    'lswap_dispatched_total{band="urgent"} 1',
    'lswap_dispatched_total{band="normal"} 0',
    'lswap_dispatched_total{band="batch"} 1',
    'lswap_aging_reorders_total 0',
    'lswap_affinity_reorders_total 0',
    'lswap_swaps_total{model="a",host="local",result="ready"} 1',
    'lswap_swap_duration_seconds_count{model="b",phase="stop"} 1',
    'lswap_swap_duration_seconds_count{model="b",phase="memory"} 1',
    'lswap_swap_duration_seconds_count{model="b",phase="load"} 1',
    'lswap_host_up{host="local"} 1',
    'lswap_queue_oldest_wait_seconds{band="urgent"} 0',
    'lswap_model_state{model="b",host="local",state="ready"} 1',
  ]) {
    t.ok(text.split('\n').includes(line), line)
  }
  t.match(text, /^nodejs_eventloop_lag_seconds /m)
  t.notMatch(text, /made-up/)
  t.same(
    lines(await page(port), 'lswap_dispatched_total'),
    lines(text, 'lswap_dispatched_total'),
    'reading adds nothing',
  )
})

t.test('who waits now is a gauge, by band', async (t) => {
  const { port, agent } = await startRig(t, { models: [model('a', { concurrencyLimit: 1 })] })
  const first = ask(port, { body: '{"model":"a"}' })
  await until('a serves', () => agent.forwards.length === 1)
  const { answer } = await waits(port, 'a', { 'X-Lswap-Priority': '-1' })
  const text = await page(port)
  t.match(text, /^lswap_queue_depth\{band="batch"\} 1$/m)
  const [, oldest] = /^lswap_queue_oldest_wait_seconds\{band="batch"\} (\S+)$/m.exec(text) ?? []
  t.ok(Number(oldest) > 0 && Number(oldest) < 30)
  answerJson({})(agent.forwards[0] as FakeForward)
  await first
  await until('the other is served', () => agent.forwards.length === 2)
  answerJson({})(agent.forwards[1] as FakeForward)
  await answer
})

t.test('a swap that failed is counted as such, without a time', async (t) => {
  const timings = { stopMs: 0, memoryMs: 0, loadMs: 0 }
  const failure = { code: 'start_failed' as const, message: 'no' }
  const { port } = await startRig(t, { load: async () => ({ outcome: 'failed', failure, evictions: [], timings }) })
  await ask(port, { body: '{"model":"a"}' })
  const text = await page(port)
  t.match(text, /^lswap_swaps_total\{model="a",host="local",result="failed"\} 1$/m)
  t.match(text, /^lswap_rejected_total\{code="start_failed"\} 1$/m)
  t.same(lines(text, 'lswap_swap_duration_seconds{'), [])
  t.notMatch(text, /^lswap_swap_duration_seconds_count\{model="a"/m)
})
