import type { Epoch, ModelConfig } from '@lswap/core'
import type { Agent } from '../../../src/agent.ts'
import type { ForwardFailure, Forwarding } from '../../../src/forward/exchange.ts'
import { HOST, signal } from './agents.ts'

const NOWHERE: Forwarding = { abort: () => {}, resume: () => {}, write: () => true, end: () => {} }

export interface Exchange {
  readonly forwarding: Forwarding
  /** Resolves at the first byte of the answer's body. */
  readonly begun: Promise<void>
  /** Status and body, or why there was none. */
  readonly over: Promise<{ readonly status: number; readonly body: string } | ForwardFailure>
}

/** Asks a model for a chat answer. */
export const chat = (agent: Agent, model: ModelConfig, epoch: Epoch, request: object = {}): Exchange => {
  const body = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: 'hi' }], ...request }))
  const chunks: Buffer[] = []
  let status = 0
  const { given: begun, give: begin } = signal()
  let forwarding: Forwarding | undefined
  const over = new Promise<{ status: number; body: string } | ForwardFailure>((resolve) => {
    const asked = {
      method: 'POST',
      path: '/v1/chat/completions',
      headers: ['content-type', 'application/json'],
      body: { length: body.length, held: [body], rest: undefined },
    }
    forwarding = agent.forward({ host: HOST, model: model.id }, epoch, asked, {
      onHead: (head) => {
        status = head.status
      },
      onData: (chunk) => {
        begin()
        return chunks.push(chunk) > 0
      },
      onEnd: () => resolve({ status, body: Buffer.concat(chunks).toString() }),
      onError: resolve,
    })
  })
  return { forwarding: forwarding ?? NOWHERE, begun, over }
}
