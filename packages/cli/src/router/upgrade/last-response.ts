import { ServerResponse, type IncomingMessage } from 'node:http'
import type { UpgradedSocket } from '../call.ts'

/** The response to a request that asked to switch protocols. If it is used, the connection ends with it: what follows can not be read as HTTP. */
export const lastResponse = (req: IncomingMessage, { socket, early }: UpgradedSocket): ServerResponse => {
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  // What node:http does for other responses
  socket.on('drain', () => res.emit('drain'))
  res.once('finish', () => {
    // Unread bytes would make a reset of the end, which could overtake the answer
    early.discard()
    res.detachSocket(socket)
    socket.end()
    res.emit('close')
  })
  return res
}
