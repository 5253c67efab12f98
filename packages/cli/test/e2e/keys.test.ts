import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { TLS_FILES } from '../fixtures.ts'
import { chat, errorOf } from './chat.ts'
import { served } from './served.ts'
import { until } from './until.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

const KEYS = `apiKeys:
  - { name: boss, keyFile: boss.key }
  - { name: app, key: "\${env.APP_KEY}", scopes: [infer], models: [a, echo], concurrency: 1 }
  - { name: view, key: sk-view, scopes: [read] }
`
const withKeys = {
  yaml: KEYS,
  files: { 'boss.key': 'sk-boss\n', 'app.key': 'sk-app\n', 'view.key': 'sk-view', 'wrong.key': 'sk-wrong' },
  command: { env: { APP_KEY: 'sk-app' } },
}
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

t.test('every command takes its key from a file, and ends with 4 where it does not do', async (t) => {
  const { url, lswap, stderr } = await served(t, {
    ...withKeys,
    models: { a: '' },
    clientEnv: { LSWAP_KEY_FILE: 'boss.key' },
  })
  t.equal((await fetch(`${url}/health`)).status, 200)
  t.equal((await chat(url, 'a')).status, 401)
  const response = await chat(url, 'a', bearer('sk-app'))
  t.equal(response.status, 200)
  const id = response.headers.get('x-lswap-request-id') ?? ''
  await response.text()
  const reads = [['ps'], ['queue'], ['explain', id]]
  const changes = [
    ['load', 'a'],
    ['pin', 'a'],
    ['unpin', 'a'],
    ['unload', 'a'],
  ]
  for (const argv of [...reads, ...changes]) {
    t.match(await lswap(...argv), { code: 0 }, argv.join(' '))
    t.match(
      await lswap(...argv, '--key-file', 'wrong.key'),
      { code: 4, stderr: /is none of this router/ },
      argv.join(' '),
    )
    t.match(await lswap(...argv, '--key-file', 'app.key'), { code: 4, stderr: /needs the scope (read|admin)/ })
  }
  for (const argv of reads) t.match(await lswap(...argv, '--key-file', 'view.key'), { code: 0 }, argv.join(' '))
  for (const argv of changes) t.match(await lswap(...argv, '--key-file', 'view.key'), { code: 4 }, argv.join(' '))
  t.match(stderr(), '"key":"boss"', 'the log says whose request it was')
  t.notMatch(stderr(), /sk-/, 'and never with which key')
})

t.test('a key at its limit waits, another one does not; the engine sees neither', async (t) => {
  const { url, lswap } = await served(t, {
    ...withKeys,
    models: { a: '--tokens 100000 --tps 20', echo: '--echo' },
    yaml: `${KEYS}groups: { all: { swap: false, members: [a, echo] } }\n`,
    clientEnv: { LSWAP_KEY_FILE: 'boss.key' },
  })
  const leave = new AbortController()
  const long = await chat(url, 'a', { ...bearer('sk-app'), stream: true, maxTokens: 100_000, signal: leave.signal })
  t.equal(long.status, 200)
  const parked = chat(url, 'echo', bearer('sk-app'))
  const waiting = async (): Promise<string | undefined> => {
    const { stdout } = await lswap('queue', '--json')
    return stdout.includes('"caller":"app"') ? stdout : undefined
  }
  const queue = await until('it waits', waiting)
  t.match((JSON.parse(queue) as { waiting: unknown[] }).waiting, [
    { model: 'echo', caller: 'app', why: /as many as it may/ },
  ])
  const free = await chat(url, 'echo', bearer('sk-boss'))
  t.equal(free.status, 200, 'another key goes first')
  const seen = await free.text()
  t.match(seen, 'content-type')
  t.notMatch(seen.toLowerCase(), /authorization|sk-boss/)
  leave.abort()
  const second = await parked
  t.equal(second.status, 200, 'and it follows as soon as its first is over')
  t.notMatch((await second.text()).toLowerCase(), /authorization|sk-app/)
  t.match(await errorOf(await chat(url, 'nope', bearer('sk-app'))), { code: 'model_not_found' })
})

t.test('an engine that wants a key of its own gets it, and never the one of the client', async (t) => {
  const { url, stderr } = await served(t, {
    models: { a: '--api-key sk-engine --echo' },
    perModel: 'apiKey: "${env.ENGINE_KEY}"',
    yaml: 'apiKeys: [sk-boss]\n',
    command: { env: { ENGINE_KEY: 'sk-engine' } },
  })
  const response = await chat(url, 'a', bearer('sk-boss'))
  t.equal(response.status, 200)
  const seen = await response.text()
  t.match(seen, 'Bearer sk-engine')
  t.notMatch(seen, 'sk-boss')
  t.notMatch(stderr(), 'sk-')
})

t.test('HTTPS end to end: chat, and commands that trust the certificate', async (t) => {
  const { url, lswap } = await served(t, {
    models: { a: '' },
    argv: ['--tls-cert', TLS_FILES.cert, '--tls-key', TLS_FILES.key],
    clientEnv: { LSWAP_CA_FILE: TLS_FILES.cert },
  })
  t.match(url, /^https:/)
  const answer = await new Promise<string>((resolve, reject) => {
    const sent = request(`${url}/v1/chat/completions`, {
      method: 'POST',
      ca: readFileSync(TLS_FILES.cert),
      agent: false,
    })
    sent.once('error', reject)
    sent.once('response', (response) => void text(response).then(resolve, reject))
    sent.end('{"model":"a","stream":true,"max_tokens":3,"messages":[]}')
  })
  t.match(answer, 'data: [DONE]')
  t.match(await lswap('ps'), { code: 0, stdout: /\ba\b/ })
  t.match(await lswap('unload', 'a'), { code: 0 })
  const plain = url.replace('https:', 'http:')
  t.match(await lswap('ps', '--url', plain), { code: 5, stderr: /Cannot reach lswap/ })
})

t.test('a certificate that nobody vouches for is refused; Node can be told of it as well', async (t) => {
  const argv = ['--tls-cert', TLS_FILES.cert, '--tls-key', TLS_FILES.key]
  const { lswap } = await served(t, { models: { a: '' }, argv })
  t.match(await lswap('ps'), { code: 5, stderr: /its certificate is not trusted here[\s\S]*--ca-file/ })
  t.match(await lswap('ps', '--ca-file', 'lswap.yaml'), { code: 2, stderr: /does not hold a certificate in PEM/ })
  const trusted = await served(t, { models: { a: '' }, argv, clientEnv: { NODE_EXTRA_CA_CERTS: TLS_FILES.cert } })
  t.match(await trusted.lswap('ps'), { code: 0 })
})
