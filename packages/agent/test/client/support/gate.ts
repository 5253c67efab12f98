import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Test } from 'tap'

export interface Gate {
  readonly url: string
  /** Breaks every connection; new ones are let through. */
  cut(): void
  /** Breaks every connection, and lets none through. */
  refuse(refused: boolean): void
  /** Lets through what was held back. */
  release(): void
  /** Of the requests that came through. */
  paths(): readonly string[]
  /** How many connections there were. */
  connections(): number
}

/** A network between a router and an agent. While `isSilent`, whatever a client says on connections without a stream is held back. */
export const gateTo = async (t: Test, url: string, isSilent: () => boolean): Promise<Gate> => {
  const { port } = new URL(url)
  const open = new Set<Socket>()
  const asked: string[] = []
  let held: (() => void)[] = []
  let isRefusing = false
  let connections = 0
  const server = createServer((client) => {
    connections += 1
    if (isRefusing) return void client.resetAndDestroy()
    const agent = connect(Number(port), '127.0.0.1')
    for (const socket of [client, agent]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        open.delete(socket)
        client.destroy()
        agent.destroy()
      })
    }
    client.on('data', (bytes: Buffer) => {
      const path = /^[A-Z]+ (\S+) HTTP/.exec(bytes.toString('latin1'))?.[1]
      if (path !== undefined) asked.push(path)
      const pass = (): void => void agent.write(bytes)
      if (isSilent()) held.push(pass)
      else pass()
    })
    agent.on('data', (bytes: Buffer) => client.write(bytes))
    return undefined
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy()
  }
  t.teardown(() => {
    cut()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    refuse: (refused) => {
      isRefusing = refused
      if (refused) cut()
    },
    release: () => {
      for (const pass of held) pass()
      held = []
    },
    paths: () => asked,
    connections: () => connections,
  }
}

/** Something that speaks another version. */
export const otherProtocol = async (t: Test): Promise<{ readonly url: string }> => {
  const server = createHttp((_req, res) => {
    res.writeHead(200, { 'x-lswap-agent-protocol': '2', 'x-lswap-agent-start': 'x' })
    res.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Lets sockets do what is due. */
export const breath = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => void setImmediate(resolve))
}
