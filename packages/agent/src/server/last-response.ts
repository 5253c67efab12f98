import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** The answer to a request that asked to switch protocols, when it does not get to: the connection ends with it. */
export const lastResponse = (req: IncomingMessage, socket: Socket): ServerResponse => {
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  // What node:http does for other responses
  socket.on('drain', () => res.emit('drain'))
  res.once('finish', () => {
    res.detachSocket(socket)
    socket.resume()
    socket.end()
    res.emit('close')
  })
  return res
}
