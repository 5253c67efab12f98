import { connect, type Socket } from 'node:net'
import { readFile } from 'node:fs/promises'
import { once } from 'node:events'
import { atEnd } from '@lswap/core/test-support'
import { proxyPath } from '@lswap/core/protocol'
import { modelId } from '@lswap/core'
import t, { type Test } from 'tap'
import { callAgent, fleet, type HostRig } from '../fleet.ts'
import { isChat } from '../journal.ts'
import { until } from '../until.ts'

// Whoever gives a request up does so whatever state its agent is in; its engine must hear of it once the agent goes on.

t.setTimeout(240_000)

const MANY = 40
const BODY = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] })

interface Rig {
  readonly host: HostRig
  /** A connection to the agent of its own. */
  readonly open: () => Promise<Socket>
  /** The head of a request, and its body. */
  readonly request: string
  /** Requests that the engine has begun and was told the end of. */
  readonly counts: () => Promise<{ begun: number; aborted: number }>
  readonly stopped: (act: () => Promise<void>) => Promise<void>
}

const openMany = ({ open }: Rig): Promise<Socket[]> => Promise.all(Array.from({ length: MANY }, open))

/** One model that answers nobody, on an agent that is spoken to as a router does. */
const rigOf = async (t: Test): Promise<Rig> => {
  const rig = await fleet(t, { box: { a: '--first-token-ms 600000' } })
  const host = rig.host('box')
  const loaded = await callAgent(host, '/v1/swap', { method: 'POST', body: JSON.stringify({ model: 'a', evict: [] }) })
  t.match(await loaded.text(), /"ready"/)
  const { start } = (await (await callAgent(host, '/v1/agent')).json()) as { start: string }
  const { states } = (await (await callAgent(host, '/v1/metrics')).json()) as { states: { epoch: number }[] }
  const path = proxyPath(modelId('a'), { start, epoch: states[0]?.epoch ?? 0 })
  const token = (await readFile(host.tokenFile, 'utf8')).trim()
  const head = [
    `POST ${path}/v1/chat/completions HTTP/1.1`,
    `host: 127.0.0.1:${host.port}`,
    `x-lswap-agent-token: ${token}`,
    'content-type: application/json',
    `content-length: ${BODY.length}`,
  ]
  const sockets: Socket[] = []
  atEnd(t, () => sockets.forEach((socket) => socket.destroy()))
  return {
    host,
    request: `${head.join('\r\n')}\r\n\r\n${BODY}`,
    open: async () => {
      const socket = connect(host.port, host.address)
      sockets.push(socket)
      socket.on('error', () => {})
      await once(socket, 'connect')
      return socket
    },
    counts: async () => {
      const lines = await host.journal.lines()
      return { begun: lines.filter(isChat('begin')).length, aborted: lines.filter(isChat('aborted')).length }
    },
    stopped: async (act) => {
      host.agent().signal('SIGSTOP')
      try {
        await act()
      } finally {
        host.agent().signal('SIGCONT')
      }
    },
  }
}

const WAYS: Readonly<Record<string, (socket: Socket) => void>> = {
  'is closed': (socket) => socket.destroy(),
  'is reset': (socket) => socket.resetAndDestroy(),
  'is closed for writing': (socket) => socket.end(),
}

for (const [way, leave] of Object.entries(WAYS)) {
  t.test(`the engine hears of the end when a connection ${way} while the agent stands still`, async (t) => {
    const rig = await rigOf(t)
    const { request, counts } = rig
    const sockets = await openMany(rig)
    // The last byte of some of the bodies never comes
    for (const [at, socket] of sockets.entries()) socket.write(at % 2 === 0 ? request : request.slice(0, -1))
    await until('all have begun', async () => ((await counts()).begun === MANY ? true : undefined))
    await rig.stopped(async () => sockets.forEach((socket) => leave(socket)))
    await until('all have ended', async () => ((await counts()).aborted === MANY ? true : undefined))
    t.equal((await counts()).begun, MANY)
  })

  t.test(
    `nothing is left of requests whose connection ${way} before the agent, which stands still, reads them`,
    async (t) => {
      const rig = await rigOf(t)
      const { request, counts } = rig
      const sockets = await openMany(rig)
      await rig.stopped(async () => {
        await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(request, resolve))))
        for (const socket of sockets) leave(socket)
      })
      const last = await rig.open()
      last.write(request)
      // It came after the others: what the agent makes of those has begun by then
      await until('only the last one is there', async () => {
        const { begun, aborted } = await counts()
        return begun - aborted === 1 ? true : undefined
      })
      last.destroy()
      await until('none is there', async () => {
        const { begun, aborted } = await counts()
        return begun === aborted ? true : undefined
      })
      t.ok((await counts()).begun > 0)
    },
  )
}
