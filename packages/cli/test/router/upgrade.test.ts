import { modelId } from '@lswap/core'
import t from 'tap'
import type { ForwardHead } from '@lswap/agent'
import { answerJson, fail } from './support/answers.ts'
import { ask, until } from './support/ask.ts'
import { model } from './support/config.ts'
import { access, bearer, key } from './support/keys.ts'
import { rawClient, type RawClient } from './support/raw-client.ts'
import { startRig, type Rig, type RigOptions } from './support/rig.ts'

const SWITCH: ForwardHead = {
  status: 101,
  reason: 'Switching Protocols',
  headers: ['Upgrade', 'websocket', 'Connection', 'Upgrade'],
  length: undefined,
  bodyless: true,
}

/** Asks to switch protocols below a path; fields of this name take the place of what is there. */
const dial = async (rig: Rig, path: string, fields: Readonly<Record<string, string>> = {}): Promise<RawClient> => {
  const all = { Host: 'localhost', Connection: 'Upgrade', Upgrade: 'websocket', ...fields }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const client = await rawClient(rig.port)
  client.send(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  return client
}

const statusOf = async (client: RawClient): Promise<string | undefined> => {
  await client.ended()
  return /^HTTP\/1\.1 (\d+)/.exec(client.text())?.[1]
}

/** A rig whose engine switches protocols. */
const switching = (t: Parameters<typeof startRig>[0], options: RigOptions = {}): Promise<Rig> =>
  startRig(t, { answer: ({ handler }) => handler.onUpgrade?.(SWITCH), ...options })

t.test('an upgrade passes every check that a request passes, before anything is loaded', async (t) => {
  const keys = [
    key('boss', { scopes: ['admin'] }),
    key('app', { scopes: ['infer'] }),
    key('b', { models: [modelId('b')] }),
  ]
  const rig = await switching(t, { config: { access: access({ keys, cors: ['https://ok.test'] }) } })
  const refused: readonly (readonly [status: string, path: string, fields: Record<string, string>])[] = [
    ['403', '/upstream/a/ws', { ...bearer('boss'), Host: 'evil.test' }],
    ['403', '/upstream/a/ws', { ...bearer('boss'), Origin: 'https://evil.test' }],
    ['403', '/upstream/a/ws', { ...bearer('boss'), 'Sec-Fetch-Site': 'cross-site' }],
    ['401', '/upstream/a/ws', {}],
    ['401', '/upstream/a/ws', bearer('nobody')],
    ['403', '/upstream/a/ws', bearer('app')],
    ['403', '/upstream/a/ws', bearer('b')],
    ['404', '/upstream/nope/ws', bearer('boss')],
    ['409', '/upstream/a/socket.json', bearer('boss')],
    ['409', '/v1/audio/voices?model=a', bearer('app')],
    ['400', '/upstream/a/ws', { ...bearer('boss'), 'X-Lswap-Priority': 'high' }],
  ]
  for (const [status, path, fields] of refused) {
    t.equal(await statusOf(await dial(rig, path, fields)), status, JSON.stringify([path, fields]))
  }
  t.equal(rig.agent.swaps.length, 0)
  const page = await dial(rig, '/upstream/a/ws', { ...bearer('boss'), Origin: 'https://ok.test' })
  await page.has(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Lswap-Request-Id: ',
  )
  t.notMatch(rig.agent.forwards[0]?.request.headers.join(), /sk-/)
  t.match(rig.agent.forwards[0]?.request, { path: '/ws', upgrade: true, passive: true })
  page.socket.destroy()
})

t.test('who leaves while the model is loaded waits no more; what is said meanwhile is kept', async (t) => {
  let ready: (() => void) | undefined
  const load = async (): Promise<undefined> =>
    new Promise((resolve) => {
      ready = () => resolve(undefined)
    })
  const rig = await switching(t, { load })
  const left = await dial(rig, '/upstream/a/ws')
  const stays = await dial(rig, '/upstream/a/ws')
  await until('both wait', () => JSON.stringify(rig.log.lines).includes('swap starts'))
  stays.send('early')
  left.socket.destroy()
  await until('the departure is seen', () => rig.log.lines.some(({ fields }) => fields['status'] === 499))
  ready?.()
  await stays.has('101 Switching Protocols')
  stays.send(' late')
  const written = (): string => Buffer.concat(rig.agent.forwards[0]?.written ?? []).toString()
  await until('all is said', () => written() === 'early late')
  t.equal(rig.agent.forwards.length, 1)
  stays.socket.destroy()
})

t.test('once switched it holds nothing: no slot, no model, none of what its key may run at once', async (t) => {
  const keys = [key('one', { concurrency: 1 })]
  const rig = await switching(t, {
    config: { access: access({ keys }) },
    models: [model('a', { concurrencyLimit: 1 }), model('b')],
    answer: (forward) => {
      if (forward.request.upgrade === true) forward.handler.onUpgrade?.(SWITCH)
      else answerJson({})(forward)
    },
  })
  const open = await dial(rig, '/upstream/a/ws', bearer('one'))
  await open.has('101')
  for (const name of ['a', 'b']) {
    const told = await ask(rig.port, { body: `{"model":"${name}"}`, headers: bearer('one') })
    t.equal(told.status, 200, name)
  }
  t.equal(rig.agent.swaps.length, 2, 'a was evicted beside the open connection')
  const [forward] = rig.agent.forwards
  if (forward !== undefined) fail(forward, 'evicted', true)
  t.equal(await open.ended(), 'reset', 'and its engine took it along')
  t.match(rig.log.lines.find(({ fields }) => fields['status'] === 101)?.fields, { route: 'upstream', code: 'evicted' })
  t.same(rig.log.bugs(), [])
})

t.test('compat.ignoreWebsockets: a WebSocket loads nothing, anything else does', async (t) => {
  const rig = await switching(t, { models: [model('a', { ignoreWebsockets: true })] })
  t.equal(await statusOf(await dial(rig, '/upstream/a/ws')), '409')
  t.equal(await statusOf(await dial(rig, '/upstream/a/ws', { Upgrade: 'x, WebSocket' })), '409')
  t.equal(rig.agent.swaps.length, 0)
  const other = await dial(rig, '/upstream/a/ws', { Upgrade: 'tcp' })
  await other.has('101')
  const socket = await dial(rig, '/upstream/a/ws')
  await socket.has('101')
  other.socket.destroy()
  socket.socket.destroy()
})

t.test('other versions of HTTP, and requests with a body, are no switch of protocols', async (t) => {
  const rig = await startRig(t, { answer: answerJson({ ok: 1 }) })
  for (const fields of [
    { Upgrade: 'h2c', 'HTTP2-Settings': 'x' },
    { Upgrade: 'HTTP/3.0' },
    { 'Content-Length': '2' },
  ]) {
    const client = await dial(rig, '/upstream/a/ws', fields)
    if ('Content-Length' in fields) client.send('{}')
    await client.has('{"ok":1}')
    t.notMatch(client.text(), 'Connection: close', 'and the connection can go on')
    t.equal(rig.agent.forwards.at(-1)?.request.upgrade, undefined)
    client.socket.destroy()
  }
})

t.test('a shutdown cuts what was switched at once', async (t) => {
  const rig = await switching(t, { limits: { shutdownDrainMs: 60_000 } })
  const open = await dial(rig, '/upstream/a/ws')
  await open.has('101')
  await rig.router.close()
  t.equal(await open.ended(), 'reset')
})
