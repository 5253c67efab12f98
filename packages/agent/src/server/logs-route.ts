import { LswapError, type ModelId } from '@lswap/core'
import type { ServerResponse } from 'node:http'
import type { Agent } from '../agent.ts'

const DEFAULT_TAIL = 1_000

/** `GET /v1/logs/{model}?follow&tail=N`: lines of text. A slow reader loses lines, marked, and never slows the engine. */
export const sendLog = async (
  agent: Pick<Agent, 'logs' | 'followLogs'>,
  { model, query, res }: { readonly model: ModelId; readonly query: URLSearchParams; readonly res: ServerResponse },
): Promise<void> => {
  const asked = query.get('tail')
  if (asked !== null && !/^\d{1,9}$/.test(asked)) {
    throw new LswapError({ code: 'invalid_request', message: 'tail is not a number of lines, 0 or more.' })
  }
  const tail = Number(asked ?? DEFAULT_TAIL)
  const head = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  if (!query.has('follow')) {
    const lines = await agent.logs(model, tail)
    res.writeHead(200, head)
    res.end(lines.map((line) => `${line}\n`).join(''))
    return
  }
  res.writeHead(200, head)
  res.flushHeaders()
  const following = agent.followLogs(model, {
    tail,
    onText: (text) => {
      if (!res.write(text)) following.pause()
    },
  })
  res.on('drain', () => following.resume())
  res.once('close', () => following.stop())
}
