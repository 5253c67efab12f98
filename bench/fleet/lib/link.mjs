import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** The network between a router and an agent: knows when the last byte of the agent passed, and can be cut. */
export async function openLink(target) {
  const pairs = new Set()
  let lastByteAt = 0
  let isSilent = false
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    const pair = { near, far }
    pairs.add(pair)
    near.setNoDelay(true)
    far.setNoDelay(true)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
    near.on('data', (chunk) => {
      if (!isSilent) far.write(chunk)
    })
    far.on('data', (chunk) => {
      if (isSilent) return
      lastByteAt = performance.now()
      near.write(chunk)
    })
  })
  const listen = async (port) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server.address().port
  }
  const port = await listen(0)
  const breakAll = () => {
    for (const { near, far } of pairs) {
      near.resetAndDestroy()
      far.destroy()
    }
  }
  return {
    port,
    lastByteAt: () => lastByteAt,
    /** `reset`: as when the agent is killed. `silent`: as when the cable is pulled; new connections are taken and lead nowhere. */
    cut(kind) {
      if (kind === 'silent') {
        isSilent = true
        return
      }
      server.close()
      breakAll()
    },
    async mend() {
      if (isSilent) {
        breakAll()
        isSilent = false
      } else await listen(port)
    },
    close() {
      server.close()
      breakAll()
    },
  }
}
