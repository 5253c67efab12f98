import { answersOf, both, whole } from './support/answers.ts'
import { dial, each, startWays } from './support/ways.ts'
import { until } from '../support/ask.ts'
import { SWITCH, ask, switchOver } from './support/switched.ts'

each('the engine ends first: the client may go on, and then ends too', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const { direct, routed } = await both(ways, async (port) => {
    const it = await switchOver(ways, port)
    it.client.socket.allowHalfOpen = true
    it.engine.socket.end('bye')
    t.equal(await it.client.ended(), 'closed')
    await it.client.send('goodbye')
    it.client.socket.end()
    t.equal(await it.engine.ended(), 'closed')
    return it
  })
  t.same([routed.atClient(), routed.atEngine()], ['bye', 'goodbye'])
  t.same([direct.atClient(), direct.atEngine()], ['bye', 'goodbye'])
})

each('the client ends first: the engine hears of it, and may say the rest', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const { direct, routed } = await both(ways, async (port) => {
    const it = await switchOver(ways, port)
    it.engine.socket.allowHalfOpen = true
    it.client.socket.end('bye')
    t.equal(await it.engine.ended(), 'closed')
    await it.engine.send('the rest')
    it.engine.socket.end()
    t.equal(await it.client.ended(), 'closed')
    return it
  })
  t.same([routed.atClient(), routed.atEngine()], ['the rest', 'bye'])
  t.same([direct.atClient(), direct.atEngine()], ['the rest', 'bye'])
})

each('who has ended waits for the other only so long', async (t, how) => {
  const ways = await startWays(t, { client: how, limits: { halfClosedMs: 50 } })
  const it = await switchOver(ways, ways.ports.routed)
  it.engine.socket.allowHalfOpen = true
  it.client.socket.end()
  await it.engine.ended()
  t.equal(await it.client.ended(), 'closed')
  await until('the request is over', () => ways.rig.log.lines.some(({ fields }) => fields['status'] === 101))
})

each('a reset of the engine at each stage', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const before = await dial(ways.ports.routed)
  await before.send(ask(ways, ways.ports.routed))
  const first = await ways.engine.arrival(0)
  first.wire.reset()
  const second = await ways.engine.arrival(1)
  t.same(second.message.fields, first.message.fields, 'once more, as nothing had come')
  second.wire.reset()
  await whole(before, 1)
  t.match(answersOf(before)[0]?.start, / 502 /)

  const within = await dial(ways.ports.routed)
  await within.send(ask(ways, ways.ports.routed))
  const third = await ways.engine.arrival(2)
  await third.wire.send(SWITCH.slice(0, 30))
  third.wire.reset()
  await whole(within, 1)
  t.match(answersOf(within)[0]?.body.toString(), 'upstream_died')

  const after = await switchOver(ways, ways.ports.routed)
  await after.engine.send('half')
  await after.client.until('half', () => after.atClient() === 'half')
  after.engine.reset()
  // TLS ends by an alert, which does not come then; Node's client does not say that it missed it
  t.equal(await after.client.ended(), how === 'TLS' ? 'closed' : 'reset')
  t.equal(after.atClient(), 'half')
})

each('a reset of the client at each stage ends the connection to the engine', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const waiting = await dial(ways.ports.routed)
  await waiting.send(ask(ways, ways.ports.routed))
  const first = await ways.engine.arrival(0)
  waiting.reset()
  t.ok(await first.wire.ended(), 'before the answer')
  const after = await switchOver(ways, ways.ports.routed)
  after.client.reset()
  t.ok(await after.engine.ended(), 'after the switch')
  const ended = await dial(ways.ports.routed)
  await ended.send(ask(ways, ways.ports.routed))
  const third = await ways.engine.arrival(2)
  ended.socket.end()
  t.ok(await third.wire.ended(), 'an end before the answer is a departure too')
  t.same(ways.rig.log.bugs(), [])
})
