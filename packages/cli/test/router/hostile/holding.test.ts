import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { answerJson, head } from '../support/answers.ts'
import { ask, until } from '../support/ask.ts'
import { chat, rawClient } from '../support/raw-client.ts'
import { startRig } from '../support/rig.ts'
import { startHostileRig } from './support/rig.ts'

// Many connections, on machines that have other work too
t.setTimeout(240_000)

const CHAT = '{"model":"a"}'

const STALL_MS = 250
/** Sixty times as long, as machines have other work too; a client that is never cut fails the test then, not a minute later. */
const CUT_WITHIN_MS = 60 * STALL_MS

/** A port as /proc writes it. */
const hex = (port = 0): string => port.toString(16).toUpperCase().padStart(4, '0')

// An empty line before a request is to be ignored, and makes the connection one that node:http reads
for (const [reader, before] of [
  ['plain', ''],
  ['node:http', '\r\n'],
] as const) {
  t.test(
    `a client that takes nothing of its answer is cut; one whose engine is at work is not (${reader})`,
    async (t) => {
      const { port, agent } = await startRig(t, { limits: { answerStallMs: STALL_MS } })
      const patient = await rawClient(port)
      t.teardown(() => patient.socket.destroy())
      patient.send(before + chat(CHAT))
      await until('the first is at the engine', () => agent.forwards.length === 1)

      const deaf = await rawClient(port)
      t.teardown(() => deaf.socket.destroy())
      deaf.send(before + chat(CHAT))
      await until('the second is at the engine', () => agent.forwards.length === 2)
      const [thinking, speaking] = agent.forwards
      speaking?.handler.onHead(head())
      await deaf.has('\r\n\r\n')
      deaf.socket.pause()
      // More than the kernels take
      for (let sent = 0; sent < 16; sent++) speaking?.handler.onData(Buffer.alloc(1_048_576, 'x'))
      await until('its request is given up', () => speaking?.aborted === true, CUT_WITHIN_MS)
      deaf.socket.resume()
      t.match(await deaf.ended(), /reset|closed/)

      t.same([thinking?.aborted, patient.end()], [false, undefined])
      if (thinking === undefined || patient.end() !== undefined) return
      answerJson({ ok: 1 })(thinking)
      await patient.has('{"ok":1}')
    },
  )
}

t.test('64 requests may wait on a connection, and no more', async (t) => {
  const { port } = await startRig(t, { load: () => new Promise(() => {}) })
  const waiting = async (): Promise<number> => {
    const { text } = await ask(port, { path: '/api/queue' })
    return (JSON.parse(text) as { total: number }).total
  }
  const becomes = async (count: number): Promise<void> => {
    let now = -1
    const end = performance.now() + 60_000
    while (now !== count && performance.now() < end) now = await waiting()
    t.equal(now, count)
  }
  const client = await rawClient(port)
  client.send(chat(CHAT).repeat(64))
  await becomes(64)
  t.equal(client.end(), undefined)
  client.send(chat(CHAT))
  await client.ended()
  await becomes(0)
})

t.test('a connection that offers another protocol with each request costs no more with each', async (t) => {
  const { port, log } = await startRig(t, { answer: answerJson({ ok: 1 }) })
  const warnings: Error[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning)
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  const count = (): number => client.text().split('{"ok":1}').length - 1
  for (let sent = 1; sent <= 40; sent++) {
    client.send(chat(CHAT, 'Connection: Upgrade\r\nUpgrade: h2c'))
    await until(`answer ${sent}`, () => count() === sent)
  }
  client.send(chat(CHAT, 'Connection: Upgrade\r\nUpgrade: h2c').repeat(40))
  await until('pipelined as well', () => count() === 80)
  t.same(warnings, [])
  t.same(log.bugs(), [])
})

t.test('who pipelines and never reads is cut, and holds nothing; others are served', async (t) => {
  const rig = await startHostileRig(t, { limits: { answerStallMs: 2_000 } })
  t.ok(await rig.isServing())
  const pages = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1_700)
  const before = process.memoryUsage().rss
  const clients = await Promise.all(Array.from({ length: 40 }, () => rawClient(rig.port)))
  for (const client of clients) {
    client.socket.pause()
    client.send(pages)
  }
  t.ok(await rig.isServing())
  await rig.isQuiet()
  for (const { socket } of clients) socket.resume()
  for (const client of clients) await client.ended()
  // Answered in full these were hundreds of megabytes
  const grownMb = (process.memoryUsage().rss - before) / 1_048_576
  t.ok(grownMb < 200, `${grownMb.toFixed(0)} MB more`)
  t.same(rig.log.bugs(), [])
})

t.test('a thousand connections that say nothing, or never end a header, are closed; others are served', async (t) => {
  const rig = await startHostileRig(t, { limits: { headersTimeoutMs: 2_000 } })
  let closed = 0
  const open = (bytes: string): Socket => {
    const socket = connect({ port: rig.port, host: '127.0.0.1' })
    socket.on('error', () => {})
    socket.once('close', () => (closed += 1))
    socket.resume()
    if (bytes !== '') socket.write(bytes)
    return socket
  }
  const sockets = Array.from({ length: 500 }, (_, at) => [
    open(''),
    open(`GET /health HTTP/1.1\r\nHost: localhost\r\nX-At: ${at}`),
  ]).flat()
  t.teardown(() => sockets.forEach((socket) => socket.destroy()))
  let served = 0
  for (; closed < sockets.length; served += 1) if (!(await rig.isServing())) t.fail('somebody was not served')
  t.ok(served > 0)
  t.ok(await rig.isServing())
  await rig.isQuiet()
})

t.test('a head that comes byte by byte gets no more time than another; others are served', async (t) => {
  const rig = await startHostileRig(t, { limits: { headersTimeoutMs: 200 } })
  const GET = 'GET /health HTTP/1.1\r\nHost: localhost\r\n'
  for (const [before, isAnswered] of [
    ['', false],
    [`${GET}\r\n`, false],
    [`${GET}\r\n`, true],
  ] as const) {
    const slow = await rawClient(rig.port)
    slow.send(isAnswered ? before : `${before}${GET}X-A: `)
    if (isAnswered) {
      await slow.has('OK')
      slow.send(`${GET}X-A: `)
    }
    const drip = setInterval(() => slow.send('a'), 20)
    t.teardown(() => clearInterval(drip))
    t.ok(await rig.isServing())
    t.ok(await slow.ended())
    clearInterval(drip)
    // What is still being sent can make a reset of the end, which overtakes the answer
    t.match(slow.text(), /^(?:HTTP\/1\.1 200 [^]*OK)?(?:HTTP\/1\.1 408 |$)/)
  }
  await rig.isQuiet()
})

t.test(
  'the system asks silent clients whether they still live',
  { skip: process.platform === 'linux' ? false : 'only Linux tells' },
  async (t) => {
    const { port } = await startRig(t, { load: () => new Promise(() => {}) })
    const client = await rawClient(port)
    t.teardown(() => client.socket.destroy())
    client.send(chat(CHAT))
    const ends = `0100007F:${hex(port)} 0100007F:${hex(client.socket.localPort)} 01`
    const line = (await readFile('/proc/net/tcp', 'latin1')).split('\n').find((text) => text.includes(ends)) ?? ''
    // Kind 2 is the timer of keep-alive
    t.match(line, / 02:[\dA-F]{8} /)
  },
)
