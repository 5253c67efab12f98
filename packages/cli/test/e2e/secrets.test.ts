import t from 'tap'
import { chat } from './chat.ts'
import { callAgent, fleet } from './fleet.ts'
import { served } from './served.ts'
import { until } from './until.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

const SECRETS = ['client-key-1234', 'engine-key-5678', 'variable-value-99', 'hook-token-42', 'shell-value-77']
const KEY = { headers: { authorization: 'Bearer client-key-1234' } }
/** An engine tells what it does not know of its command line. */
const TALKS =
  '--hf-token engine-key-5678 --x client-key-1234 --y engine-key-5678 --z variable-value-99 --u hook-token-42'
const TO_SHELL = '--v ${env.SHELL_SECRET}'
const ENGINES = { dies: `--crash-at load ${TALKS}`, falls: `--crash-after-tokens 1 ${TALKS}` }
const MORE = [
  'env: [MY_TOKEN=variable-value-99]',
  'hooks: { before: [{ cmd: "false --token hook-token-42", required: false }] }',
]
const KEYS = 'apiKeys: [client-key-1234]\n'

/** What a client or a person is told by a router, of all that it tells. */
const toldBy = async (url: string): Promise<string> => {
  const get = async (path: string): Promise<string> => (await fetch(`${url}${path}`, KEY)).text()
  const events = await fetch(`${url}/api/events`, KEY)
  const reader = events.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  const list = await get('/api/requests')
  const ids = [...list.matchAll(/"id":"?([\w-]+)/g)].map(([, id]) => id)
  const pages = ['/logs', '/logs/stream/router?tail=1000', '/running', '/api/queue', '/metrics', '/v1/models']
  // The streams of logs have no end
  const texts = await Promise.all(
    [
      ...pages.filter((path) => !path.includes('stream')),
      '/logs?model=router',
      ...ids.map((id) => `/api/requests/${id}`),
    ].map(get),
  )
  return [Buffer.from(value ?? []).toString(), list, ...texts].join('\n')
}

const CASES = [
  ['dies', 502, /its last lines:[^]*ignored argument: \*\*\*/],
  ['falls', 502, /while it was ready; its last lines:[^]*ignored argument: \*\*\*/],
] as const

t.test('no secret is in what an engine and its commands leave in errors, lists, events and logs', async (t) => {
  const router = await served(t, {
    models: { dies: `${ENGINES.dies} ${TO_SHELL}`, falls: `${ENGINES.falls} ${TO_SHELL}` },
    perModel: MORE.join('\n    '),
    yaml: `${KEYS}logToStdout: both\n`,
    command: { env: { SHELL_SECRET: 'shell-value-77' } },
    clientEnv: { LSWAP_KEY_FILE: 'key' },
    files: { key: 'client-key-1234' },
  })
  const { url, lswap, stderr, stdout } = router
  let told = ''
  for (const [model, status, quotes] of CASES) {
    const response = await chat(url, model, KEY)
    const answer = await response.text()
    t.equal(response.status, status, model)
    t.match(answer, quotes)
    const explained = await lswap('explain', response.headers.get('x-lswap-request-id') ?? '')
    t.match(explained.stdout, 'failed')
    told += answer + explained.stdout + explained.stderr
  }
  told += await toldBy(url)
  told += (await lswap('logs', 'dies')).stdout + (await lswap('logs', 'router')).stdout
  t.match(told, 'a hook failed')
  t.match(stderr(), 'a hook failed')
  t.match(await until('it is shown', () => (stdout().includes('falls | ') ? stdout() : undefined)), '***')
  for (const secret of SECRETS) t.notMatch(told + stderr() + stdout(), secret, secret)
})

t.test('nor in an error of a hook that is required', async (t) => {
  const { url, stderr } = await served(t, {
    models: { a: '' },
    perModel: 'hooks: { before: [{ cmd: "false --token hook-token-42", required: true }] }',
  })
  const answer = await (await chat(url, 'a')).text()
  t.match(answer, /hooks\.before that is required failed: false --token \*\*\*/)
  t.notMatch(answer + stderr() + (await toldBy(url)), 'hook-token-42')
})

t.test('nor through an agent, which tells none that it knows, and whose router takes out those it knows', async (t) => {
  const rig = await fleet(t, { box: ENGINES }, { perModel: { dies: MORE, falls: MORE } })
  const router = await rig.router(KEYS)
  let told = ''
  for (const [model, status, quotes] of CASES) {
    const response = await chat(router.url, model, KEY)
    const answer = await response.text()
    t.equal(response.status, status, model)
    t.match(answer, quotes)
    told += answer
  }
  told += await toldBy(router.url)
  t.match(told, 'a hook failed')
  told += router.stderr()
  for (const secret of SECRETS) t.notMatch(told, secret, secret)
  const box = rig.host('box')
  const agents = [
    box.agent().stderr(),
    await (await callAgent(box, '/v1/metrics')).text(),
    await (await callAgent(box, '/v1/logs/dies')).text(),
  ].join('\n')
  t.match(agents, /lastLines[^]*ignored argument: \*\*\*/)
  // That of the router's clients is not known there
  for (const secret of SECRETS.slice(1)) t.notMatch(agents, secret, secret)
})
