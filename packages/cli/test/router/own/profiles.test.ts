import t from 'tap'
import { DEFAULT_ROUTER_LIMITS } from '../../../src/router/limits.ts'
import { ask, json, until } from '../support/ask.ts'
import { rawClient } from '../support/raw-client.ts'
import { startRig } from '../support/rig.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

const HEAD = 'PUT /api/profiles/active HTTP/1.1\r\nHost: localhost\r\nContent-Length: 17\r\n\r\n'
const coding = { id: 'coding', description: undefined, pins: [] }

t.test('a body that stops coming is not waited for, and what comes too late changes nothing', async (t) => {
  const clock = createVirtualClock()
  const { port, log } = await startRig(t, { clock, config: { profiles: [coding] } })
  const client = await rawClient(port)
  const timers = clock.pending()
  client.send(`${HEAD}{"name":`)
  await until('its body is waited for', () => clock.pending() > timers)
  await clock.advance(DEFAULT_ROUTER_LIMITS.bodyStallMs)
  await client.has('The body stalled for 60 s.')
  client.send('"coding"}')
  t.match(json(await ask(port, { path: '/api/profiles' })), { active: null })
  client.socket.destroy()
  t.same(log.bugs(), [])
})

t.test('one that goes on is waited for', async (t) => {
  const clock = createVirtualClock()
  const { port } = await startRig(t, { clock, config: { profiles: [coding] } })
  const client = await rawClient(port)
  const timers = clock.pending()
  client.send(HEAD)
  await until('its body is waited for', () => clock.pending() > timers)
  for (const piece of ['{"name"', ':"cod', 'ing"}']) {
    await clock.advance(DEFAULT_ROUTER_LIMITS.bodyStallMs - 1)
    client.send(piece)
    // Asked behind it: by the answer it has been read
    await ask(port, { path: '/health' })
  }
  await client.has('"active":"coding"')
  client.socket.destroy()
  await until('nothing is waited for any more', () => clock.pending() === timers)
  t.match(client.text(), ' 200 OK')
})
