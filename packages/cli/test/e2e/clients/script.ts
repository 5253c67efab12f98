import type { Test } from 'tap'
import { CITY, type Client, type Refusal, type Reply } from './client.ts'

/** Where the script runs; the same model is behind both ways, and answers one request at a time. */
export interface Stage {
  readonly model: string
  /** The model's context, smaller than what two megabytes of words have. */
  readonly contextTokens: number
}

/** What must not depend on the way. Counts of tokens tell that a prompt came whole. */
export interface Transcript {
  readonly counts: Readonly<Record<string, number>>
  readonly finishes: Readonly<Record<string, string>>
  readonly texts: Readonly<Record<string, string>>
  readonly vectors: readonly (readonly number[])[]
  readonly refusal: Refusal | string
}

const TOKENS = 7

/** What a program does with a model, from its list to a stream that it gives up. */
export const runScript = async (t: Test, client: Client, stage: Stage): Promise<Transcript> => {
  const { model } = stage
  const counts: Record<string, number> = {}
  const finishes: Record<string, string> = {}
  const texts: Record<string, string> = {}
  const keep = (name: string, reply: Reply): void => {
    t.ok(reply.text.length > 0, `${name}: it said something`)
    t.equal(reply.output, TOKENS, `${name}: so many tokens`)
    t.ok(reply.input > 0, `${name}: the prompt was counted`)
    counts[name] = reply.input
    finishes[name] = reply.finish
    texts[name] = reply.text
  }

  t.ok((await client.models()).includes(model), 'the model is listed')
  const ask = { model, text: `hello ${CITY}`, maxTokens: TOKENS }
  keep('chat', await client.chat(ask))
  const pieces: string[] = []
  keep('stream', await client.stream(ask, (text) => pieces.push(text)))
  t.equal(pieces.join(''), texts['stream'])
  t.ok(pieces.length > 1, 'the stream came in pieces')
  keep('tools', await client.chat({ ...ask, hasTools: true }))
  if (client.respond) keep('responses', await client.respond(ask))
  if (client.complete) keep('completions', await client.complete(ask))
  const vectors = (await client.embed?.(model, [ask.text, 'two'])) ?? []

  // 2 MB
  const large = { ...ask, text: 'four '.repeat(420_000) }
  const refusal = await refusalOf(client, client.chat(large))
  t.match(refusal, { status: 400, message: new RegExp(`exceeds.*${stage.contextTokens} tokens`) })
  if (client.count) counts['count'] = await client.count(ask)
  await givesUp(t, client, stage)
  return { counts, finishes, texts, vectors, refusal }
}

/**
 * Twice: the client leaves in the middle of a stream, and before the answer that takes too long for it. The engine's only
 * slot is free again for the next request. (To look at /slots meanwhile would change what is looked at: a llama-server that
 * is asked more than once a second does not notice who left.)
 */
const givesUp = async (t: Test, client: Client, { model }: Stage): Promise<void> => {
  const isFree = async (): Promise<void> => {
    const reply = await client.chat({ model, text: 'next', maxTokens: 1 })
    t.equal(reply.output, 1, 'the engine noticed')
  }
  const endless = { model, text: 'go on', maxTokens: 10_000_000 }
  const leave = new AbortController()
  let pieces = 0
  const streamed = client.stream({ ...endless, signal: leave.signal }, () => {
    pieces += 1
    if (pieces === 3) leave.abort()
  })
  // Some clients end the loop, some throw
  t.equal(await streamed.then(() => 'aborted', client.refusal), 'aborted')
  t.ok(pieces >= 3, 'it was in the middle')
  await isFree()
  t.equal(await refusalOf(client, client.chat({ ...endless, timeoutMs: 300 })), 'timed out')
  await isFree()
}

const refusalOf = async (client: Client, asked: Promise<unknown>): Promise<Refusal | string> =>
  asked.then(
    () => 'answered',
    (error: unknown) => client.refusal(error),
  )
