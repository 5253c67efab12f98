import { modelId } from '@lswap/core'
import t from 'tap'
import { ask, errorOf, until } from '../support/ask.ts'
import { model } from '../support/config.ts'
import { access, bearer, key } from '../support/keys.ts'
import { chatHead, rawClient } from '../support/raw-client.ts'
import { startRig } from '../support/rig.ts'
import { answer, chat, reload } from './support.ts'

t.test('names, filters and lists act at once', async (t) => {
  const rig = await startRig(t, { models: [model('a', { aliases: ['x'] })], answer })
  rig.edit([model('a', { aliases: ['y'], useModelName: 'z', unlisted: true })])
  await reload(rig)
  t.match(errorOf(await ask(rig.port, { body: chat('x') })), { code: 'model_not_found' })
  t.equal((await ask(rig.port, { body: chat('y') })).status, 200)
  t.match(JSON.parse(String(await rig.agent.forwards[0]?.body())), { model: 'z' })
  t.match(JSON.parse((await ask(rig.port, { path: '/v1/models' })).text), { data: { length: 0 } })
  t.same(rig.agent.stops, [])
})

t.test('a request that came before the reload keeps the names that it came with', async (t) => {
  const rig = await startRig(t, { models: [model('a', { aliases: ['x'] })], answer })
  const client = await rawClient(rig.port)
  const body = chat('x')
  client.send(`${chatHead(`Content-Length: ${body.length}\r\nExpect: 100-continue`)}${body.slice(0, 5)}`)
  await client.has('100 Continue')
  rig.edit([model('a', { aliases: ['y'] })])
  await reload(rig)
  client.send(body.slice(5))
  await client.has('200 OK')
  t.equal(rig.agent.forwards.length, 1)
  client.socket.destroy()
})

t.test('a key that is gone is refused at once, one that came is taken, and what runs goes on', async (t) => {
  const keys = [key('old'), key('boss')]
  const rig = await startRig(t, { config: { access: access({ keys }) } })
  const over = ask(rig.port, { body: chat('a'), headers: bearer('old') })
  await until('the request is forwarded', () => rig.agent.forwards.length === 1)
  rig.edit([model('a'), model('b')], { access: access({ keys: [key('new'), key('boss')] }) })
  t.equal((await reload(rig, bearer('boss'))).status, 200)
  t.equal((await ask(rig.port, { path: '/v1/models', headers: bearer('old') })).status, 401)
  t.equal((await ask(rig.port, { path: '/v1/models', headers: bearer('new') })).status, 200)
  const [forward] = rig.agent.forwards
  if (forward !== undefined) answer(forward)
  t.equal((await over).status, 200)
})

t.test('a reload needs admin, for all models', async (t) => {
  const keys = [key('reader', { scopes: ['read', 'infer'] }), key('some', { models: [modelId('a')] })]
  const rig = await startRig(t, { config: { access: access({ keys }) } })
  t.equal((await reload(rig)).status, 401)
  t.equal((await reload(rig, bearer('reader'))).status, 403)
  t.equal((await reload(rig, bearer('some'))).status, 403)
  t.equal((await ask(rig.port, { path: '/api/reload', headers: bearer('reader') })).status, 405)
})

t.test('origins and names of this machine act at once', async (t) => {
  const rig = await startRig(t)
  const origin = { origin: 'http://pages.example', host: 'box.example' }
  t.equal((await ask(rig.port, { path: '/v1/models', headers: origin })).status, 403)
  rig.edit([model('a')], { access: access({ cors: ['http://pages.example'], allowedHosts: ['box.example'] }) })
  await reload(rig)
  t.equal((await ask(rig.port, { path: '/v1/models', headers: origin })).status, 200)
})

t.test('limits on bodies act at once', async (t) => {
  const rig = await startRig(t, { answer })
  rig.edit([model('a')], { bodies: { maxBodyBytes: 10 } })
  await reload(rig)
  t.equal((await ask(rig.port, { body: chat('a') })).status, 413)
})

t.test('the last keys can not go while other machines reach the router', async (t) => {
  const rig = await startRig(t, { config: { access: access({ keys: [key('k')] }) } })
  await rig.router.listen({ host: '0.0.0.0', port: 0 })
  rig.edit([model('a')], { access: access() })
  const told = await reload(rig, bearer('k'))
  t.equal(told.status, 400)
  t.match(errorOf(told), { code: 'invalid_config', message: /0\.0\.0\.0 can be reached/ })
  t.equal((await ask(rig.port, { path: '/v1/models' })).status, 401, 'the keys still count')
  t.equal((await ask(rig.port, { path: '/v1/models', headers: bearer('k') })).status, 200)
  t.match(JSON.parse((await ask(rig.port, { path: '/v1/models', headers: bearer('k') })).text), { data: { length: 2 } })
})

t.test('the active profile stays active while it exists', async (t) => {
  const coding = { id: 'coding', description: undefined, pins: [{ name: 'x', target: 'a' }] }
  const rig = await startRig(t, { config: { profiles: [coding] }, answer })
  const put = { method: 'PUT', path: '/api/profiles/active', body: '{"name":"coding"}' }
  t.equal((await ask(rig.port, put)).status, 200)
  rig.edit([model('a'), model('c')])
  await reload(rig)
  t.equal((await ask(rig.port, { body: chat('x') })).status, 200)
  rig.edit([model('a')], { profiles: [{ ...coding, id: 'other' }] })
  await reload(rig)
  t.match(errorOf(await ask(rig.port, { body: chat('x') })), { code: 'model_not_found' })
})
