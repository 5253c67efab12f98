import { fact } from './support/fact.ts'
import { ask, chatBody } from './support/http.ts'
import type { Answer } from './support/http.ts'
import { ALIAS, readyEngine } from './support/running.ts'

const MESSAGES = '/v1/messages'
const RESPONSES = '/v1/responses'

type Json = Readonly<Record<string, unknown>>

const json = ({ body }: Answer): Json => JSON.parse(body) as Json

/** The events of a stream, each with the name that stands before it. */
const eventsOf = ({ body }: Answer): { readonly name: string; readonly data: Json }[] =>
  body
    .split('\n\n')
    .slice(0, -1)
    .map((event) => {
      const [, name = '', data = '{}'] = /^event: (.*)\ndata: (.*)$/s.exec(event) ?? []
      return { name, data: JSON.parse(data) as Json }
    })

fact('answers messages in the shape of Anthropic, and counts what a prompt has', async (t, engine) => {
  const { port } = await readyEngine(t, engine)
  const answer = json(await ask(port, MESSAGES, chatBody({ max_tokens: 3 })))
  t.match(answer, {
    type: 'message',
    role: 'assistant',
    model: ALIAS,
    content: [{ type: 'text', text: String }],
    stop_reason: 'max_tokens',
    usage: { input_tokens: Number, output_tokens: 3 },
  })
  const { input_tokens: counted } = json(await ask(port, `${MESSAGES}/count_tokens`, chatBody({})))
  t.equal(counted, (answer['usage'] as Json)['input_tokens'])
})

fact('streams messages as named events from message_start to message_stop', async (t, engine) => {
  const { port } = await readyEngine(t, engine)
  const events = eventsOf(await ask(port, MESSAGES, chatBody({ max_tokens: 2, stream: true })))
  t.ok(events.every(({ name, data }) => data['type'] === name))
  t.same(
    events.map(({ name }) => name),
    [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ],
  )
  t.match(events.at(-2)?.data, { delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 2 } })
})

fact('tells errors about messages in a shape of its own, and a missing one as its own fault', async (t, engine) => {
  const { port } = await readyEngine(t, engine, { args: ['-np', '1', '-c', '256', '--no-context-shift'] })
  const missing = await ask(port, MESSAGES, { max_tokens: 1 })
  t.equal(missing.status, 500)
  t.match(json(missing), { error: { code: 500, message: /messages/, type: 'server_error' } })
  const messages = [{ role: 'user', content: 'the '.repeat(600) }]
  const large = await ask(port, MESSAGES, { messages, max_tokens: 1 })
  t.equal(large.status, 400)
  t.match(json(large), { error: { code: 400, type: 'exceed_context_size_error' } })
})

fact('answers responses, and streams them as named events', async (t, engine) => {
  const { port } = await readyEngine(t, engine)
  const ask3 = { input: 'hello', max_output_tokens: 3 }
  t.match(json(await ask(port, RESPONSES, ask3)), {
    object: 'response',
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text', text: String }] }],
    usage: { input_tokens: Number, output_tokens: 3, total_tokens: Number },
  })
  const events = eventsOf(await ask(port, RESPONSES, { ...ask3, stream: true }))
  t.same(
    events.map(({ name }) => name.replace(/^response\./, '')),
    [
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ],
  )
  t.match(events.at(-1)?.data, { response: { status: 'completed', usage: { output_tokens: 3 } } })
  t.match(json(await ask(port, RESPONSES, {})), { error: { code: 400, message: "'input' is required" } })
})
