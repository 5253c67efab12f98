/** A stream's events of ours: what a client of the route takes for part of the answer's run-up. */
export interface Dialect {
  /** Shown by clients that show reasoning; not part of the answer. */
  told(text: string, position: number | undefined): string
  /** Ignored by every client. */
  comment(text: string): string
}

export interface DialectOptions {
  readonly streams: 'chat' | 'messages' | 'plain'
  /** Of the request. */
  readonly id: number
  /** As the client called it. */
  readonly model: string
  readonly startedAt: number
}

export const dialectOf = ({ streams, id, model, startedAt }: DialectOptions): Dialect => {
  const created = Math.floor(startedAt / 1000)
  return {
    told: (text, position) => {
      // Anthropic's clients take anything but a ping before `message_start` for a broken stream
      if (streams === 'messages') return event({ type: 'ping', lswap: { text: text.trim(), position } }, 'ping')
      return event({
        id: `chatcmpl-lswap-${id}`,
        object: 'chat.completion.chunk',
        created,
        model,
        // Without a role: the engine's first chunk has it, and some clients join what comes twice
        choices: [{ index: 0, delta: { reasoning_content: text }, logprobs: null, finish_reason: null }],
      })
    },
    comment: (text) => `: ${text.trim().replaceAll(/[\r\n]+/g, ' ')}\n\n`,
  }
}

const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
