import { hostId, LOCAL_HOST } from '@lswap/core'
import t from 'tap'
import type { Call } from '../../../src/router/call.ts'
import { serveReady, type ReadyOptions } from '../../../src/router/own/ready.ts'
import { orderLimits } from '../../../src/router/loop/order-limits.ts'
import { createRunLoop } from '../../../src/router/loop.ts'
import { ask } from '../support/ask.ts'
import { createFakeAgent } from '../support/fake-agent.ts'
import { access, key } from '../support/keys.ts'
import { recordingLog } from '../support/log.ts'
import { chatHead, rawClient } from '../support/raw-client.ts'
import { startRig } from '../support/rig.ts'
import { scriptedScheduler } from '../support/scripted-scheduler.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

/** What is told when these are the facts. */
const told = (
  facts: Partial<{ lateMs: number; ageMs: number; isClosing: boolean; up: readonly boolean[] }>,
): unknown => {
  let answer: unknown
  const res = {
    writeHead: (status: number) => {
      answer = status
    },
    end: (text: string) => {
      answer = { status: answer, ...(JSON.parse(text) as object) }
    },
  }
  const { lateMs = 0, ageMs = 0, isClosing = false, up = [true] } = facts
  const options: ReadyOptions = {
    loop: {
      decisionAgeMs: () => ageMs,
      view: () => ({ hosts: up.map((is, at) => ({ host: hostId(`h${at}`), up: is })), models: new Map() }),
    },
    pulse: { lateMs: () => lateMs },
    isClosing: () => isClosing,
  }
  serveReady(options, { res } as unknown as Call)
  return answer
}

t.test('ready while requests are taken and decided, else the reason', async (t) => {
  const no = { status: 503, ready: false }
  t.same(told({}), { status: 200, ready: true })
  t.same(told({ lateMs: 5_000, ageMs: 5_000, up: [false, true] }), { status: 200, ready: true })
  t.match(told({ isClosing: true }), { ...no, reason: 'shutting_down' })
  t.match(told({ lateMs: 5_001 }), { ...no, reason: 'event_loop_stuck', message: /5 s/ })
  t.match(told({ ageMs: 5_001 }), { ...no, reason: 'scheduler_stuck', message: /5 s/ })
  t.match(told({ up: [false, false] }), { ...no, reason: 'no_host' })
  t.match(told({ up: [] }), { ...no, reason: 'no_host' })
})

t.test('no key and no known name is needed for it, and it names nothing', async (t) => {
  const { port } = await startRig(t, { config: { access: access({ keys: [key('app')] }) } })
  const answer = await ask(port, { path: '/ready', headers: { Host: 'gpu-box.example' } })
  t.match(answer, { status: 200, text: '{"ready":true}', headers: { 'content-type': /^application\/json/ } })
})

t.test('a router whose hosts do not answer is not ready', async (t) => {
  const { port } = await startRig(t, {
    agent: (fake) => ({ ...fake, processes: () => Promise.reject(new Error('gone')) }),
  })
  t.match(await ask(port, { path: '/ready' }), { status: 503, text: /"reason":"no_host"/ })
})

t.test('a router that shuts down says so to who is still connected', async (t) => {
  const { port, router } = await startRig(t)
  const client = await rawClient(port)
  // Under way, so that its connection stays: the answer comes when its body is there
  client.send(chatHead('Content-Length: 2'))
  const other = await rawClient(port)
  other.send('GET /ready HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
  await ask(port, { path: '/health' })
  const closed = router.close()
  other.send('1\r\n\r\n')
  await other.has('"reason":"shutting_down"')
  t.match(other.text(), /^HTTP\/1\.1 503 /)
  client.socket.destroy()
  await closed
})

t.test('a scheduler whose decision is due and is not made is stuck, one that moves is not', async (t) => {
  const clock = createVirtualClock()
  const scheduler = scriptedScheduler(() => undefined)
  const agent = createFakeAgent({ host: LOCAL_HOST })
  const loop = createRunLoop({
    scheduler,
    agents: new Map([[LOCAL_HOST, agent]]),
    orderLimits: orderLimits(() => []),
    clock,
    log: recordingLog(),
  })
  await loop.start()
  t.equal(loop.decisionAgeMs(), 0)
  scheduler.tickAt = clock.now() + 1_000
  await clock.advance(1_000)
  t.equal(loop.decisionAgeMs(), 0, 'due now')
  // Nothing armed a timer for it: frozen
  await clock.advance(6_000)
  t.equal(loop.decisionAgeMs(), 6_000)
  const before = scheduler.events.length
  loop.pin('a' as never, true)
  t.ok(scheduler.events.length > before)
  t.equal(loop.decisionAgeMs(), 0, 'it decided something')
  loop.stop()
})
