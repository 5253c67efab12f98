import t from 'tap'
import { ask, errorOf, json } from '../support/ask.ts'
import { model } from '../support/config.ts'
import { rawClient } from '../support/raw-client.ts'
import { startRig } from '../support/rig.ts'

t.test('load answers when the model is ready, by id or alias, as often as it is asked', async (t) => {
  const { port, agent } = await startRig(t, { models: [model('org/a', { aliases: ['x'] })] })
  for (const path of ['/api/models/load/org/a', '/api/models/load/org%2Fa', '/api/models/load/x']) {
    const told = await ask(port, { method: 'POST', path })
    t.match([told.status, json(told)], [200, { msg: 'ok', model: 'org/a', state: 'ready', host: 'local' }])
  }
  t.equal(agent.swaps.length, 1)
  const unknown = await ask(port, { method: 'POST', path: '/api/models/load/nope' })
  t.match([unknown.status, errorOf(unknown).code], [404, 'model_not_found'])
  const broken = await ask(port, { method: 'POST', path: '/api/models/load/%ff' })
  t.match([broken.status, errorOf(broken).code], [400, 'invalid_request'])
})

t.test('load without waiting answers at once; a client that leaves lets the load go on', async (t) => {
  const { port, agent } = await startRig(t, { load: () => new Promise(() => {}) })
  const told = await ask(port, { method: 'POST', path: '/api/models/load/a?wait=false' })
  t.match([told.status, json(told)], [202, { msg: 'accepted', state: 'loading' }])
  const client = await rawClient(port)
  client.send('POST /api/models/load/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n')
  const waiting = async (): Promise<string> => (await ask(port, { path: '/running' })).text
  while (!(await waiting()).includes('"waiting":2'));
  client.socket.destroy()
  while (!(await waiting()).includes('"waiting":1'));
  t.equal(agent.swaps.length, 1)
  t.same(agent.aborts, [])
})

t.test('a load that fails says why', async (t) => {
  const failure = { code: 'start_timeout' as const, message: 'Not ready in 120 s.' }
  const timings = { stopMs: 0, memoryMs: 0, loadMs: 0 }
  const { port } = await startRig(t, { load: async () => ({ outcome: 'failed', failure, evictions: [], timings }) })
  const told = await ask(port, { method: 'POST', path: '/api/models/load/a' })
  t.match([told.status, errorOf(told)], [504, { code: 'start_timeout', message: /Not ready/ }])
})
