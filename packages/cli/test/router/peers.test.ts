import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { modelId, NO_FILTERS, type PeerConfig } from '@lswap/core'
import { ask, errorOf, until } from './support/ask.ts'
import { access, bearer, key } from './support/keys.ts'
import { startRig } from './support/rig.ts'

interface Got {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Another server, and what came to it. */
const server = async (
  t: Test,
  answer: RequestListener = (_, res) => void res.end('{}'),
): Promise<{ proxy: string; got: Got[] }> => {
  const got: Got[] = []
  const other = createServer((req, res) => {
    const take = async (): Promise<void> => {
      got.push({ url: req.url ?? '', headers: req.headers, body: await text(req) })
      answer(req, res)
    }
    void take()
  })
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => {
    other.closeAllConnections()
    other.close()
  })
  return { proxy: `http://127.0.0.1:${(other.address() as AddressInfo).port}/base`, got }
}

const peer = (id: string, proxy: string, more: Partial<PeerConfig> = {}): PeerConfig => ({
  id,
  proxy,
  models: ['m', 'org/n'],
  filters: NO_FILTERS,
  timeouts: {},
  ...more,
})

const say = (name: string): { body: string } => ({ body: JSON.stringify({ model: name, x: 1 }) })

t.test("a peer's model is asked for there, by the peer's name for it and with the peer's key", async (t) => {
  const { proxy, got } = await server(t)
  const filters = { stripParams: ['x'], setParams: [{ key: 'y', json: '2' }], setParamsById: [] }
  const config = {
    peers: [peer('other', proxy, { apiKey: 'sk-peer', filters })],
    access: access({ keys: [key('mine')] }),
  }
  const { port, agent, log } = await startRig(t, { config })
  for (const name of ['other/m', 'm', 'other/org/n']) {
    const told = await ask(port, { ...say(name), headers: { ...bearer('mine'), 'x-mark': 'kept' } })
    t.equal(told.status, 200, name)
    t.equal(told.headers['x-lswap-host'], 'other')
  }
  t.same(
    got.map(({ body }) => body),
    ['{"model":"m","y":2}', '{"model":"m","y":2}', '{"model":"org/n","y":2}'],
  )
  t.match(got[0], {
    url: '/base/v1/chat/completions',
    headers: { authorization: 'Bearer sk-peer', 'x-api-key': 'sk-peer', 'x-mark': 'kept' },
  })
  t.same(agent.swaps, [])
  t.notMatch(JSON.stringify(log.lines), 'sk-peer')
})

t.test("without a key of its own a peer gets none, and not the client's", async (t) => {
  const { proxy, got } = await server(t)
  const { port } = await startRig(t, {
    config: { peers: [peer('other', proxy)], access: access({ keys: [key('mine')] }) },
  })
  await ask(port, { ...say('m'), headers: bearer('mine') })
  t.equal(got[0]?.headers.authorization, undefined)
})

t.test('a stream of a peer comes as it is sent, and ends with its client', async (t) => {
  let isCut = false
  let send: ((text: string) => void) | undefined
  const { proxy } = await server(t, (_, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream' })
    send = (chunk) => void res.write(chunk)
    res.write('data: 1\n\n')
    res.on('close', () => {
      isCut = true
    })
  })
  const { port } = await startRig(t, { config: { peers: [peer('other', proxy)] } })
  const controller = new AbortController()
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    body: say('m').body,
    signal: controller.signal,
  })
  const reader = response.body?.getReader()
  t.equal(new TextDecoder().decode((await reader?.read())?.value), 'data: 1\n\n')
  send?.('data: 2\n\n')
  t.equal(new TextDecoder().decode((await reader?.read())?.value), 'data: 2\n\n')
  controller.abort()
  await until('the peer sees it', () => isCut)
})

const form = (name: string) => ({
  path: '/v1/audio/transcriptions',
  headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
  body: `--b\r\nContent-Disposition: form-data; name="model"\r\n\r\n${name}\r\n--b--\r\n`,
})

t.test('a name that two peers have needs the name of one; a form needs its own name', async (t) => {
  const [one, two] = [await server(t), await server(t)]
  const { port } = await startRig(t, { config: { peers: [peer('one', one.proxy), peer('two', two.proxy)] } })
  t.equal((await ask(port, say('m'))).status, 404)
  t.equal((await ask(port, say('two/m'))).status, 200)
  t.same([one.got.length, two.got.length], [0, 1])
  const refused = await ask(port, form('two/m'))
  t.match([refused.status, errorOf(refused).message], [404, /called by the peer's own name for it, "m"/])
})

t.test('a peer that is not there, or silent, is an error of its own', async (t) => {
  const silent = await server(t, () => {})
  const peers = [
    peer('gone', 'http://127.0.0.1:9', { models: ['g'] }),
    peer('silent', silent.proxy, { models: ['s'], timeouts: { responseHeaderMs: 50 } }),
  ]
  const { port, log } = await startRig(t, { config: { peers } })
  const gone = await ask(port, say('g'))
  t.match([gone.status, errorOf(gone).code], [502, 'upstream_unreachable'])
  const late = await ask(port, say('s'))
  t.match([late.status, errorOf(late).code], [504, 'upstream_timeout'])
  t.same(log.bugs(), [])
})

t.test('models of peers are listed, and a key may be limited to some of them', async (t) => {
  const { proxy } = await server(t)
  const config = {
    peers: [peer('other', proxy)],
    access: access({ keys: [key('all'), key('some', { models: [modelId('other/m')] })] }),
  }
  const { port } = await startRig(t, { config })
  const listed = async (who: string): Promise<unknown[]> =>
    (JSON.parse((await ask(port, { path: '/v1/models', headers: bearer(who) })).text) as { data: unknown[] }).data
  t.match((await listed('all')).slice(2), [
    { id: 'other/m', name: 'other: m', meta: { llamaswap: { type: 'peer', peerID: 'other' } } },
    { id: 'other/org/n' },
  ])
  t.match(await listed('some'), [{ id: 'other/m' }])
  t.equal((await ask(port, { ...say('other/m'), headers: bearer('some') })).status, 200)
  t.equal((await ask(port, { ...say('other/org/n'), headers: bearer('some') })).status, 403)
})

t.test('a key that reaches some models of a peer reaches no other there, however a request names two', async (t) => {
  const { proxy, got } = await server(t)
  const config = {
    peers: [peer('other', proxy)],
    access: access({ keys: [key('some', { models: [modelId('other/m')] })] }),
  }
  const { port } = await startRig(t, { config })
  const [chat, sound] = ['/upstream/other/m/v1/chat/completions', '/upstream/other/m/v1/audio/transcriptions']
  const second = form('org/n').body
  const both = form('m').body.replace('--b--\r\n', second)
  const rows: readonly (readonly [asked: NonNullable<Parameters<typeof ask>[1]>, status: number])[] = [
    [{ path: chat, body: '{"model":"org/n"}' }, 200],
    [{ path: chat, body: '{"model":"m","model":"org/n"}' }, 400],
    [{ path: chat, body: '{"model":1,"model":"org/n"}' }, 400],
    [{ path: chat, body: '{"model":"org/n","x":NaN}' }, 400],
    [{ path: chat, body: `{"model":"${'m'.repeat(9_000)}","model":"org/n"}` }, 400],
    [form('m'), 200],
    [{ ...form('m'), body: both }, 400],
    [{ ...form('m'), path: sound }, 200],
    [{ ...form('org/n'), path: sound }, 404],
    [{ ...form('m'), path: sound, body: both }, 400],
    [{ path: sound, body: 'model=org/n', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }, 400],
    [{ path: '/props?model=other/m&x=%20&mod%65l=org/n&model=org/n' }, 200],
    [{ path: '/upstream/other/m/sdapi/v1/loras?model=org/n' }, 200],
    [{ path: '/upstream/other/m/sdapi/v1/loras' }, 200],
  ]
  for (const [asked, status] of rows) {
    const before = got.length
    const told = await ask(port, { ...asked, headers: { ...asked.headers, ...bearer('some') } })
    t.equal(told.status, status, JSON.stringify(asked).slice(0, 200))
    t.equal(got.length - before, status === 200 ? 1 : 0)
    t.notMatch(JSON.stringify(got.at(-1)), 'org/n')
  }
  t.same(
    got.slice(-3).map(({ url }) => url),
    ['/base/props?model=m&x=%20', '/base/sdapi/v1/loras?model=m', '/base/sdapi/v1/loras?model=m'],
  )
})
