import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port of 127.0.0.1 that nothing listens on now. */
export const freePort = async () => {
  const port = await listenOnce(0)
  if (port === undefined) throw new Error('127.0.0.1 has no free port')
  return port
}

/** Whether nothing listens on this port of 127.0.0.1. */
export const isFree = async (port) => (await listenOnce(port)) !== undefined

async function listenOnce(wanted) {
  const server = createServer().listen(wanted, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (error.code === 'EADDRINUSE') return undefined
    throw error
  }
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
