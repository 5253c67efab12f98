import { fold, feedEventSchema, type FeedEvent, type FeedState } from '@lswap/core/protocol'
import { request, type IncomingMessage } from 'node:http'
import { until } from './ask.ts'

export interface FeedClient {
  readonly events: FeedEvent[]
  readonly response: IncomingMessage
  /** What the events make of it. */
  state(): FeedState
  lastId(): string
  comments(): number
  /** Resolves once the state is like that. */
  shows(what: string, holds: (state: FeedState) => boolean): Promise<FeedState>
  isEnded(): boolean
  close(): void
}

/** Reads GET /api/events as a client would, by its schema. */
export const readFeed = async (port: number, headers: Readonly<Record<string, string>> = {}): Promise<FeedClient> => {
  const sent = request({ port, host: '127.0.0.1', path: '/api/events', agent: false, headers })
  sent.on('error', () => {})
  sent.end()
  const response = await new Promise<IncomingMessage>((resolve) => sent.once('response', resolve))
  const events: FeedEvent[] = []
  let state: FeedState | undefined
  let text = ''
  let lastId = ''
  let comments = 0
  let isEnded = false
  const take = (block: string): void => {
    const lines = block.split('\n')
    if (lines[0]?.startsWith(':') === true) comments += 1
    const data = lines.find((line) => line.startsWith('data: '))?.slice('data: '.length)
    if (data === undefined) return
    lastId = lines.find((line) => line.startsWith('id: '))?.slice('id: '.length) ?? lastId
    const event = feedEventSchema.parse(JSON.parse(data))
    events.push(event)
    state = fold(state, event)
  }
  response.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) take(block)
  })
  response.on('close', () => {
    isEnded = true
  })
  response.on('error', () => {})
  const known = (): FeedState => {
    if (state === undefined) throw new Error('no snapshot yet')
    return state
  }
  return {
    events,
    response,
    state: known,
    lastId: () => lastId,
    comments: () => comments,
    shows: async (what, holds) => {
      await until(`the feed shows ${what}`, () => state !== undefined && holds(state))
      return known()
    },
    isEnded: () => isEnded,
    close: () => void sent.destroy(),
  }
}
