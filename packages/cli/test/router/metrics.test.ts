import t from 'tap'
import { answerJson, eventStream, head } from './support/answers.ts'
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

/** What the specification wants, each with its labels. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  lswap_requests_total: ['model', 'code'],
  lswap_request_duration_seconds: ['model'],
  lswap_queue_wait_seconds: ['model', 'band'],
  lswap_time_to_first_token_seconds: ['model'],
  lswap_queue_depth: ['band'],
  lswap_queue_oldest_wait_seconds: ['band'],
  lswap_dispatched_total: ['band'],
  lswap_aging_reorders_total: [],
  lswap_affinity_reorders_total: [],
  lswap_swaps_total: ['model', 'host', 'result'],
  lswap_swap_duration_seconds: ['model', 'phase'],
  lswap_model_state: ['model', 'host', 'state'],
  lswap_in_flight: ['model', 'host'],
  lswap_tokens_total: ['model', 'kind'],
  lswap_rejected_total: ['code'],
  lswap_host_up: ['host'],
  lswap_engine_memory_bytes: ['model', 'host'],
  process_resident_memory_bytes: [],
  process_cpu_seconds_total: [],
  nodejs_eventloop_lag_seconds: [],
}

/** More of ours. */
const BESIDES: ReadonlySet<string> = new Set([
  'lswap_body_bytes',
  'lswap_open_requests',
  'lswap_config_reloads_total',
  'lswap_config_last_reload_successful',
])

/** The families of a page, each with the labels of its samples. */
const familiesOf = (text: string): Readonly<Record<string, readonly string[]>> => {
  const families: Record<string, readonly string[]> = {}
  for (const [, name = '', labels] of text.matchAll(/^([a-z_]+?)(?:_count)?(?:\{(.*)\})? \S+$/gm))
    if (!/_(?:bucket|sum)$/.test(name))
      families[name] = [...(labels ?? '').matchAll(/(\w+)="/g)].map(([, key]) => key ?? '')
  return families
}

const usage = { prompt_tokens: 20, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 3 } }

t.test(
  'every family of the specification is there, with its labels, and no other of ours but those that are named here',
  async (t) => {
    const { port } = await startRig(t, { answer: answerJson({ usage, timings: { prompt_ms: 5 } }) })
    await ask(port, { body: '{"model":"a"}' })
    await ask(port, { body: '{"model":"made-up"}' })
    const families = familiesOf(await page(port))
    for (const [name, labels] of Object.entries(FAMILIES)) t.same(families[name], labels, name)
    t.same(
      Object.keys(families).filter((name) => name.startsWith('lswap_') && !(name in FAMILIES || BESIDES.has(name))),
      [],
    )
  },
)

t.test('tokens are counted by kind, and go on being counted over swaps', async (t) => {
  const { port } = await startRig(t, { answer: answerJson({ usage, timings: { prompt_ms: 5 } }) })
  for (const asked of ['a', 'b', 'a']) await ask(port, { body: JSON.stringify({ model: asked }) })
  const text = await page(port)
  for (const line of [
    'lswap_tokens_total{model="a",kind="prompt"} 40',
    'lswap_tokens_total{model="a",kind="cached"} 6',
    'lswap_tokens_total{model="a",kind="completion"} 14',
    'lswap_tokens_total{model="b",kind="completion"} 7',
    'lswap_time_to_first_token_seconds_count{model="a"} 2',
    'lswap_swaps_total{model="a",host="local",result="ready"} 2',
    'lswap_requests_total{model="a",code="200"} 2',
  ])
    t.ok(text.split('\n').includes(line), line)
})

const STREAM = '{"model":"a","stream":true}'

t.test('a stream that tells nothing is counted by its pieces, apart; so is one that was cut', async (t) => {
  const { port, agent } = await startRig(t, {
    answer: ({ handler }) => {
      handler.onHead(eventStream)
      for (const text of ['one', 'two', 'three']) handler.onData(Buffer.from(`data: {"${text}":1}\n\n`))
      if (agent.forwards.length === 2)
        handler.onError({ failure: { code: 'upstream_died', message: 'It died.' }, answered: true })
      else handler.onEnd([])
    },
  })
  await ask(port, { body: STREAM })
  t.match(await page(port), /^lswap_tokens_total\{model="a",kind="completion_estimated"\} 3$/m)
  await ask(port, { body: STREAM })
  const text = await page(port)
  t.match(text, /^lswap_tokens_total\{model="a",kind="completion_estimated"\} 6$/m)
  t.match(text, /^lswap_rejected_total\{code="upstream_died"\} 1$/m)
  t.notMatch(text, /kind="completion"/)
  t.match(text, /^lswap_time_to_first_token_seconds_count\{model="a"\} 2$/m)
})

t.test('errors, compressed answers and other kinds are not read for tokens', async (t) => {
  const heads = [
    head({ status: 400 }),
    head({ headers: ['Content-Type', 'application/json', 'Content-Encoding', 'gzip'] }),
    head({ headers: ['Content-Type', 'audio/mpeg'] }),
    head({ headers: [] }),
  ]
  const { port, agent } = await startRig(t, {
    answer: ({ handler }) => {
      handler.onHead(heads[agent.forwards.length - 1] ?? head())
      handler.onData(Buffer.from('{"usage":{"prompt_tokens":5,"completion_tokens":5}}'))
      handler.onEnd([])
    },
  })
  for (const _ of heads) await ask(port, { body: STREAM })
  t.notMatch(await page(port), /^lswap_tokens_total\{/m)
  await ask(port, { body: STREAM })
  t.match(await page(port), /^lswap_tokens_total\{model="a",kind="prompt"\} 5$/m)
})
