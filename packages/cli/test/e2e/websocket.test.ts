import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import { WebSocket, type ClientOptions } from 'ws'
import { TLS_FILES } from '../fixtures.ts'
import { chat } from './chat.ts'
import { served } from './served.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

const dial = (t: Test, url: string, path: string, options: ClientOptions = {}): WebSocket => {
  const socket = new WebSocket(url.replace(/^http/, 'ws') + path, options)
  socket.on('error', () => {})
  t.teardown(() => socket.terminate())
  return socket
}

/** What comes back for a message. */
const said = async (socket: WebSocket, message: string | Buffer): Promise<string | Buffer> => {
  const answer = once(socket, 'message') as Promise<[Buffer, boolean]>
  socket.send(message)
  const [data, isBinary] = await answer
  return isBinary ? data : data.toString()
}

const closed = async (socket: WebSocket): Promise<number> => ((await once(socket, 'close')) as [number])[0]

t.test('a WebSocket loads its model, says everything both ways, and closes as its client does', async (t) => {
  const { url, journal } = await served(t, { models: { 'org/a': '--load-ms 100' } })
  const socket = dial(t, url, '/upstream/org/a/ws?x=1')
  await once(socket, 'open')
  t.same(await journal.starts(), ['org/a'])
  t.equal(await said(socket, 'grüße 漢'), 'grüße 漢')
  const large = Buffer.alloc(3_000_000, 'bytes')
  t.ok(large.equals((await said(socket, large)) as Buffer))
  const pong = once(socket, 'pong') as Promise<[Buffer]>
  socket.ping('still there?')
  t.equal((await pong)[0].toString(), 'still there?')
  socket.close(4_001, 'done')
  t.equal(await closed(socket), 4_001)
  await journal.saw('the end', ({ event, phase }) => event === 'websocket' && phase === 'closed')
})

t.test('an open WebSocket holds nobody up: its model goes, it is closed, and nothing is started for it', async (t) => {
  const { url, journal, lswap } = await served(t, { models: { a: '', b: '' } })
  const first = dial(t, url, '/upstream/a/ws')
  await once(first, 'open')
  const gone = closed(first)
  t.equal((await chat(url, 'b')).status, 200, 'another model is loaded beside it')
  t.equal(await gone, 1_006)
  const second = dial(t, url, '/upstream/b/ws')
  await once(second, 'open')
  const unloaded = closed(second)
  t.match(await lswap('unload', 'b', '--timeout', '60'), { code: 0 })
  t.equal(await unloaded, 1_006)
  t.same(await journal.starts(), ['a', 'b'])
})

t.test('with compat.ignoreWebsockets a WebSocket loads nothing, and is served once its model is there', async (t) => {
  const { url, journal } = await served(t, { models: { a: '' }, perModel: 'compat: { ignoreWebsockets: true }' })
  const early = dial(t, url, '/upstream/a/ws')
  const [, response] = (await once(early, 'unexpected-response')) as [unknown, IncomingMessage]
  t.equal(response.statusCode, 409)
  response.resume()
  t.same(await journal.starts(), [])
  t.equal((await chat(url, 'a')).status, 200)
  const late = dial(t, url, '/upstream/a/ws')
  await once(late, 'open')
  t.equal(await said(late, 'hello'), 'hello')
})

t.test('over HTTPS, with a key that may', async (t) => {
  const { url } = await served(t, {
    models: { a: '' },
    yaml: 'apiKeys: [{ name: boss, key: sk-boss }, { name: app, key: sk-app, scopes: [infer] }]\n',
    argv: ['--tls-cert', TLS_FILES.cert, '--tls-key', TLS_FILES.key],
  })
  const ca = readFileSync(TLS_FILES.cert)
  for (const [key, status] of [
    ['sk-app', 403],
    ['sk-nobody', 401],
  ] as const) {
    const refused = dial(t, url, '/upstream/a/ws', { ca, headers: { authorization: `Bearer ${key}` } })
    const [, response] = (await once(refused, 'unexpected-response')) as [unknown, IncomingMessage]
    t.equal(response.statusCode, status)
    response.resume()
  }
  const socket = dial(t, url, '/upstream/a/ws', { ca, headers: { authorization: 'Bearer sk-boss' } })
  await once(socket, 'open')
  t.equal(await said(socket, 'hello'), 'hello')
})

t.test('a router that shuts down waits for no WebSocket', async (t) => {
  const { url, signal, ended } = await served(t, { models: { a: '' } })
  const socket = dial(t, url, '/upstream/a/ws')
  await once(socket, 'open')
  const gone = closed(socket)
  const from = performance.now()
  signal('SIGTERM')
  await gone
  t.ok(performance.now() - from < 9_000, 'sooner than the time that requests may take')
  t.match(await ended, { code: 0 })
})
