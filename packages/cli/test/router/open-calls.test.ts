import { requestId } from '@lswap/core'
import { atEnd } from '@lswap/core/test-support'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createOpenCalls, type OpenCalls, type OpenCallsOptions } from '../../src/router/open-calls.ts'
import { ask, errorOf } from './support/ask.ts'
import { recordingLog } from './support/log.ts'
import { rawClient } from './support/raw-client.ts'

interface Asked {
  readonly calls: OpenCalls
  readonly res: ServerResponse
  /** Lets time go by. */
  readonly pass: (ms: number) => void
}

/** Calls of a bare server. `context` stands for all that is configured: what a call does first is to ask for it. */
const rig = async (
  t: Parameters<typeof atEnd>[0],
  context: (asked: Asked) => never,
  options: Partial<OpenCallsOptions> = {},
) => {
  let now = 1_000
  const pass = (ms: number): void => void (now += ms)
  const log = recordingLog()
  const ended: unknown[] = []
  let numbered = 0
  let current: ServerResponse
  const calls = createOpenCalls({
    clock: { now: () => now, setTimer: () => () => {} },
    log,
    nextId: () => requestId((numbered += 1)),
    parting: { limit: () => () => {} },
    isClosing: () => false,
    context: () => context({ calls, res: current, pass }),
    onEnd: ({ id }, end) => ended.push({ id, ...end, open: calls.size }),
    ...options,
  })
  const server = createServer((req, res) => {
    current = res
    calls.accept({ req, res, awaitsContinue: false, upgraded: undefined }, { isLoopback: true })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => server.close())
  return { calls, ended, log, port: (server.address() as AddressInfo).port }
}

const HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'
const BUG = new Error('out of order')

t.test('a request that can not be taken on is answered, told, and over', async (t) => {
  const open: unknown[] = []
  const { calls, ended, log, port } = await rig(t, ({ calls: { get, size, values } }) => {
    open.push([get(requestId(1))?.target, size, values().length])
    throw BUG
  })
  const told = await ask(port, { path: '/health?x=1' })
  t.equal(told.status, 500)
  t.match(errorOf(told), { code: 'internal' })
  t.match(log.bugs(), [{ fields: { err: BUG, request: 1 } }])
  t.same(open, [['/health?x=1', 1, 1]], 'it was known by its number meanwhile')
  t.match(ended, [{ id: 1, status: 500, durationMs: 0, open: 0 }])
  t.equal(calls.get(requestId(1)), undefined)
})

t.test('one whose answer had begun is cut, so that nobody takes it for whole', async (t) => {
  const { ended, log, port } = await rig(t, ({ res }) => {
    res.writeHead(200)
    res.write('half of')
    throw BUG
  })
  const client = await rawClient(port)
  client.send(HEALTH)
  await client.ended()
  t.notMatch(client.text(), 'internal')
  t.notMatch(client.text(), '\r\n0\r\n', 'no end of the body')
  t.equal(log.bugs().length, 1)
  t.match(ended, [{ status: 200 }])
})

t.test('the time of a call is told by the clock of the router', async (t) => {
  const { ended, port } = await rig(t, ({ pass }) => {
    pass(250)
    throw BUG
  })
  await ask(port, { path: '/health' })
  t.match(ended, [{ durationMs: 250 }])
})

for (const isClosing of [true, false]) {
  t.test(`an answer is the last of its connection while the router closes (${isClosing})`, async (t) => {
    const { port } = await rig(
      t,
      () => {
        throw BUG
      },
      { isClosing: () => isClosing },
    )
    const client = await rawClient(port)
    client.send(HEALTH)
    await client.has('out of order')
    client.socket.destroy()
    t.match(client.text(), isClosing ? 'Connection: close' : 'Connection: keep-alive')
  })
}
