import { stopOrderSchema, swapOrderSchema } from '@lswap/core/protocol'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AgentOrders } from './orders.ts'
import type { Phases } from './phases.ts'
import { readCommand, sendJson } from './reply.ts'

interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

/** `POST /v1/swap`: a line for each step, and one for the result. */
export const answerSwap = async (orders: AgentOrders, phases: Phases, { req, res }: Exchange): Promise<void> => {
  const { listen, over } = orders.swap(await readCommand(req, swapOrderSchema))
  res.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
  res.flushHeaders()
  const leave = listen((line) => {
    phases.look()
    res.write(`${JSON.stringify(line)}\n`)
  })
  const last = await over
  leave()
  phases.look()
  res.end(`${JSON.stringify(last)}\n`)
}

/** `POST /v1/stop`: the head says that it was taken, the rest what became of it. */
export const answerStop = async (orders: AgentOrders, phases: Phases, { req, res }: Exchange): Promise<void> => {
  const stopped = orders.stop(await readCommand(req, stopOrderSchema))
  // What refuses an order does so at once
  await Promise.race([stopped, Promise.resolve()])
  res.writeHead(200, { 'content-type': 'application/json' })
  res.flushHeaders()
  phases.look()
  const outcomes = (await stopped).map(({ placement, ...outcome }) =>
    Object.assign({ model: placement.model }, outcome),
  )
  phases.look()
  sendJson(res, { outcomes })
}
