import { epoch, modelId, type Epoch, type Failure, type ModelId } from '@lswap/core'
import { AGENT_HEADERS, readProxyPath } from '@lswap/core/protocol'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Agent } from '../agent.ts'
import type { ForwardHandler, Forwarding } from '../forward/exchange.ts'
import { refuse, writeHead, writeInformation } from './proxy-answer.ts'
import { proxiedRequest } from './proxy-request.ts'
import type { Uploads } from './uploads.ts'
import type { Usage } from './usage.ts'

export interface ProxyOptions {
  readonly agent: Agent
  readonly models: () => readonly ModelId[]
  readonly start: string
  readonly lastEvent: () => number
  readonly usage: Usage
  readonly uploads: Uploads
}

/** A connection that asks to switch protocols. */
export interface Switching {
  readonly socket: Socket
  /** What came with the head. */
  readonly early: Buffer
  /** From here on it is no HTTP any more. */
  readonly onSwitched: () => void
}

/** Bytes to an engine and back, as they come, ended when either side goes. */
export type Proxy = (req: IncomingMessage, res: ServerResponse, switching?: Switching) => void

export const createProxy = (options: ProxyOptions): Proxy => {
  const { agent, models, start, lastEvent, usage, uploads } = options

  const epochOf = async (model: ModelId): Promise<Epoch | undefined> =>
    (await agent.processes()).find((view) => view.model === model && view.phase === 'ready')?.epoch

  return (req, res, switching) => {
    const target = readProxyPath(req.url ?? '')
    const fail = (failure: Failure): void => refuse(res, failure, lastEvent())
    if (target === undefined) return fail(NO_PLACE)
    const model = modelId(target.model)
    if (!models().includes(model) && target.process === undefined) {
      return fail({ code: 'model_not_found', message: `this host has no model ${model}` })
    }
    if (target.process !== undefined && target.process.start !== start) return fail(restarted(model))

    const forward = (to: Epoch): void => {
      const leave = usage.begin(model)
      let isOver = false
      const over = (): void => {
        isOver = true
        leave()
        forget()
      }
      const handler: ForwardHandler = {
        onInformation: (status, headers) => writeInformation(res, status, headers),
        onHead: (head) => writeHead(res, head),
        onData: (chunk) => (isSwitched ? (switching?.socket.write(chunk) ?? true) : res.write(chunk)),
        onEnd: (trailers) => {
          if (isSwitched) return void switching?.socket.end()
          over()
          if (trailers.length > 0) res.addTrailers(pairs(trailers))
          // What the engine did not want to read would be taken for the next request
          res.end(() => {
            if (!req.complete) req.socket.destroySoon()
          })
          return undefined
        },
        onError: ({ failure }) => {
          over()
          if (isSwitched) switching?.socket.destroy()
          else if (res.headersSent) res.destroy()
          else fail(failure)
        },
        onUpgrade: (head) => {
          if (switching === undefined) return
          isSwitched = true
          switching.onSwitched()
          open(switching, head, forwarding)
        },
        onDrain: () => void switching?.socket.resume(),
      }
      let isSwitched = false
      const forwarding: Forwarding = agent.forward(
        { host: agent.host, model },
        to,
        proxiedRequest(req, target.path, switching !== undefined),
        handler,
      )
      const forget = uploads.add(req.headers[AGENT_HEADERS.upload], () => {
        over()
        forwarding.abort()
        req.socket.destroy()
      })
      res.on('drain', () => forwarding.resume())
      res.once('close', () => {
        if (isOver || isSwitched) return
        over()
        forwarding.abort()
      })
      switching?.socket.on('drain', () => forwarding.resume())
      switching?.socket.once('close', () => {
        if (isOver) return
        over()
        forwarding.abort()
      })
    }

    if (target.process !== undefined) return forward(epoch(target.process.epoch))
    void epochOf(model).then((found) => {
      // Its end is told once, and nobody would end what is begun after it
      if ((switching?.socket ?? req.socket).destroyed) return undefined
      return found === undefined ? fail(notReady(model)) : forward(found)
    })
    return undefined
  }
}

/** Answers with the engine's 101; from then on there are bytes, and each side ends by itself. */
const open = (
  { socket, early }: Switching,
  head: { readonly status: number; readonly reason: string; readonly headers: readonly string[] },
  forwarding: Forwarding,
): void => {
  let text = `HTTP/1.1 ${head.status} ${head.reason}\r\n`
  for (let at = 0; at + 1 < head.headers.length; at += 2) text += `${head.headers[at]}: ${head.headers[at + 1]}\r\n`
  socket.write(`${text}\r\n`, 'latin1')
  const pass = (chunk: Buffer): void => {
    if (!forwarding.write(chunk)) socket.pause()
  }
  if (early.length > 0) pass(early)
  socket.on('data', pass)
  socket.once('end', () => forwarding.end())
  socket.resume()
}

const pairs = (raw: readonly string[]): [string, string][] => {
  const result: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) result.push([raw[at] ?? '', raw[at + 1] ?? ''])
  return result
}

const NO_PLACE: Failure = { code: 'not_found', message: 'A forwarded request goes to /v1/proxy/{placement}/….' }
const notReady = (model: ModelId): Failure => ({
  code: 'model_not_loaded',
  message: `${model} is not ready on this host`,
})
const restarted = (model: ModelId): Failure => ({
  code: 'upstream_unreachable',
  message: `the agent was restarted since: the process of ${model} that was to answer is gone`,
})
