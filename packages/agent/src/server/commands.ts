import { stopOrderSchema, swapOrderSchema } from '@lswap/core/protocol'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AgentOrders } from './orders.ts'
import type { Phases } from './phases.ts'
import { readCommand, sendJson } from './reply.ts'

interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

interface Watching {
  readonly phases: Phases
  /** Somebody's own hand changes what runs: a router that uses the host must not rely on what it knows. */
  readonly onHand: () => void
}

/** `POST /v1/swap`: a line for each step, and one for the result. */
export const answerSwap = async (
  orders: AgentOrders,
  { phases, onHand }: Watching,
  { req, res }: Exchange,
): Promise<void> => {
  const order = await readCommand(req, swapOrderSchema)
  const { listen, over } = orders.swap(order)
  const tell = order.term === undefined ? onHand : (): void => {}
  tell()
  res.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
  res.flushHeaders()
  const leave = listen((line) => {
    phases.look()
    res.write(`${JSON.stringify(line)}\n`)
  })
  const last = await over
  leave()
  phases.look()
  tell()
  res.end(`${JSON.stringify(last)}\n`)
}

/** `POST /v1/stop`: the head says that it was taken, the rest what became of it. */
export const answerStop = async (
  orders: AgentOrders,
  { phases, onHand }: Watching,
  { req, res }: Exchange,
): Promise<void> => {
  const order = await readCommand(req, stopOrderSchema)
  const stopped = orders.stop(order)
  const tell = order.term === undefined ? onHand : (): void => {}
  // What refuses an order does so at once
  await Promise.race([stopped, Promise.resolve()])
  res.writeHead(200, { 'content-type': 'application/json' })
  res.flushHeaders()
  phases.look()
  tell()
  const outcomes = (await stopped).map(({ placement, ...outcome }) =>
    Object.assign({ model: placement.model }, outcome),
  )
  phases.look()
  tell()
  sendJson(res, { outcomes })
}
