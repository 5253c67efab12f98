import t from 'tap'
import { readUsage } from '../../../src/router/usage/read-usage.ts'

const NONE = { prompt: undefined, cached: undefined, completion: undefined, promptMs: undefined }

const events = (...data: readonly object[]): string => data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')

t.test('every shape of answer tells its tokens', async (t) => {
  const cases: readonly (readonly [what: string, text: string, expected: object])[] = [
    [
      'chat, whole',
      JSON.stringify({
        choices: [{ message: { content: '…' } }],
        usage: { completion_tokens: 7, prompt_tokens: 20, prompt_tokens_details: { cached_tokens: 3 } },
        timings: { cache_n: 3, prompt_n: 17, prompt_ms: 12.5, predicted_n: 7 },
      }),
      { prompt: 20, cached: 3, completion: 7, promptMs: 12.5 },
    ],
    [
      'chat, streamed with usage at its end, pretty printed',
      `data: {"choices":[],"usage":null}\n\ndata: ${JSON.stringify({ usage: { prompt_tokens: 5, completion_tokens: 6 } }, null, 1)}`,
      { prompt: 5, completion: 6 },
    ],
    [
      'chat, streamed with usage in each event',
      events(
        { usage: { prompt_tokens: 5, completion_tokens: 1 } },
        { usage: { prompt_tokens: 5, completion_tokens: 2 } },
      ),
      { prompt: 5, completion: 2 },
    ],
    [
      'chat, streamed without usage: the timings',
      events({ choices: [{ delta: {} }], timings: { cache_n: 4, prompt_n: 6, prompt_ms: 3, predicted_n: 9 } }),
      { prompt: 10, cached: 4, completion: 9, promptMs: 3 },
    ],
    [
      'responses',
      events(
        { type: 'response.created', response: { usage: null } },
        {
          type: 'response.completed',
          response: { usage: { input_tokens: 8, input_tokens_details: { cached_tokens: 2 }, output_tokens: 4 } },
        },
      ),
      { prompt: 8, cached: 2, completion: 4 },
    ],
    [
      'messages, streamed: the prompt comes first, the completion last',
      events(
        {
          type: 'message_start',
          message: { usage: { input_tokens: 8, cache_read_input_tokens: 30, output_tokens: 1 } },
        },
        { type: 'message_delta', usage: { output_tokens: 12 } },
      ),
      { prompt: 38, cached: 30, completion: 12 },
    ],
    [
      'messages, whole',
      JSON.stringify({
        usage: { input_tokens: 1, cache_creation_input_tokens: 2, cache_read_input_tokens: 4, output_tokens: 9 },
      }),
      { prompt: 7, cached: 4, completion: 9 },
    ],
    ['embeddings', '{"usage":{"prompt_tokens":6,"total_tokens":6},"data":[{"embedding":[0.1', { prompt: 6 }],
    ['nothing', '{"choices":[]}', {}],
    ['no numbers', '{"usage":{"prompt_tokens":"many","completion_tokens":-1}}', {}],
    ['torn', '{"usage":{"prompt_tokens":12', {}],
  ]
  for (const [what, text, expected] of cases) t.same(readUsage(text), { ...NONE, ...expected }, what)
})

t.test('what a model writes is not taken for usage', async (t) => {
  const content = 'so "usage":{"prompt_tokens":1,"completion_tokens":2} and "timings":{"predicted_n":3}'
  t.same(readUsage(JSON.stringify({ choices: [{ message: { content } }] })), NONE)
  t.match(readUsage(JSON.stringify({ content, usage: { completion_tokens: 9 } })), { completion: 9, prompt: undefined })
})
