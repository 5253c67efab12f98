import { connect } from 'node:net'
import t from 'tap'
import { DEFAULT_ROUTER_LIMITS } from '../../src/router/limits.ts'
import { answerJson } from './support/answers.ts'
import { ask, until } from './support/ask.ts'
import { chat, chatHead, rawClient } from './support/raw-client.ts'
import { startRig } from './support/rig.ts'
import { createVirtualClock } from './support/virtual-clock.ts'

const MIB = 1024 * 1024
const START = '{"model":"a","x":"'
const SIZE = 24 * MIB
/** Never, as tests see it. */
const LONG_MS = 3_600_000

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

/** Which of the two ways reads the request. */
const WAYS = {
  plain: { head: chatHead(`Content-Length: ${SIZE}`), body: START.padEnd(SIZE, 'x') },
  'node:http': {
    head: chatHead('Transfer-Encoding: chunked'),
    body: `${chunk(START)}${chunk('x'.repeat(MIB)).repeat(24)}0\r\n\r\n`,
  },
}

for (const [way, { head, body }] of Object.entries(WAYS)) {
  t.test(
    `an answer that comes while its body is held back: who sends all before it reads goes on, ${way}`,
    async (t) => {
      const { port, agent } = await startRig(t, { limits: { discardMs: LONG_MS } })
      const first = ask(port, { body: '{"model":"a"}' })
      await until('the model is there', () => agent.forwards.length === 1)
      agent.forwards.forEach(answerJson({ ok: 0 }))
      await first

      const client = await rawClient(port)
      t.teardown(() => void client.socket.destroy())
      client.send(head)
      const sent = new Promise((resolve) => client.socket.write(body, 'latin1', resolve))
      await until('it is at the engine', () => agent.forwards.length === 2)
      const { body: asked } = agent.forwards[1]?.request ?? {}
      // An engine that reads nothing of it
      await until('the client is held back', () => (asked?.rest?.readableLength ?? 0) > 0)
      for (let turn = 0; turn < 5; turn += 1) await ask(port, { path: '/health' })
      agent.forwards.slice(1).forEach(answerJson({ ok: 1 }))
      await sent
      client.send(chat('{"model":"a"}'))
      await until('the next one is at the engine', () => agent.forwards.length === 3)
      agent.forwards.slice(2).forEach(answerJson({ ok: 2 }))
      await client.has('{"ok":2}')
      t.match(client.text(), /\{"ok":1\}[^]*\{"ok":2\}$/)
    },
  )

  t.test(`a connection with many answers before their bodies costs no more with each, ${way}`, async (t) => {
    const { port, log } = await startRig(t, { limits: { discardMs: LONG_MS } })
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    t.teardown(() => void process.off('warning', onWarning))
    const client = await rawClient(port)
    t.teardown(() => void client.socket.destroy())
    const count = (): number => client.text().split('model_not_found').length - 1
    const start = '{"model":"nope",'
    const [fields, begin, end] =
      way === 'plain'
        ? [`Content-Length: ${start.length + 6}`, start, '"x":1}']
        : ['Transfer-Encoding: chunked', chunk(start), `${chunk('"x":1}')}0\r\n\r\n`]
    for (let sent = 1; sent <= 20; sent += 1) {
      client.send(chatHead(fields) + begin)
      await until(`answer ${sent}`, () => count() === sent)
      client.send(end)
    }
    await ask(port, { path: '/health' })
    t.same(warnings, [])
    t.same(log.bugs(), [])
  })
}

t.test('a connection that was not switched ends, also when its client keeps its half open', async (t) => {
  const clock = createVirtualClock()
  const { port } = await startRig(t, { clock })
  const offer = 'GET /upstream/nope/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.teardown(() => void client.destroy())
  client.on('error', () => {})
  const closed = new Promise((resolve) => client.once('close', resolve))
  let text = ''
  client.on('data', (bytes) => (text += bytes.toString('latin1')))
  const ended = new Promise((resolve) => client.once('end', resolve))
  client.write(offer)
  await ended
  t.match(text, /model_not_found/)
  client.write('still here')
  await clock.advance(DEFAULT_ROUTER_LIMITS.discardMs)
  // Nobody is there any more: the next write is answered by a reset
  const asking = setInterval(() => client.write('?'), 1)
  t.teardown(() => clearInterval(asking))
  await closed
  t.ok(client.destroyed)
})
