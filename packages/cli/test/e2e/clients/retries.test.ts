import type { Failure } from '@lswap/core'
import t from 'tap'
import { answerJson } from '../../router/support/answers.ts'
import { startRig } from '../../router/support/rig.ts'
import { anthropicClient } from './anthropic-client.ts'
import type { Client, Target } from './client.ts'
import { openAiClient } from './openai-client.ts'

const ANSWERS: readonly (readonly [(target: Target) => Client, object])[] = [
  [
    openAiClient,
    {
      choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    },
  ],
  [
    anthropicClient,
    {
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0 },
    },
  ],
]

/** Refuses the first request with this and answers the others. */
const rigThat = async (t: Parameters<typeof startRig>[0], failure: Failure, answer: object) => {
  const rig = await startRig(t, {
    answer: (forward) => {
      if (rig.agent.forwards.length === 1) forward.handler.onError({ failure, answered: false })
      else answerJson(answer)(forward)
    },
  })
  return { rig, url: `http://127.0.0.1:${rig.port}` }
}

const ASK = { model: 'a', text: 'hello', maxTokens: 1 }
const SECOND: Failure = { code: 'evicted', message: 'It made room.', retryAfterMs: 900 }

for (const [create, answer] of ANSWERS) {
  const { name } = create({ url: '' })
  for (const code of ['evicted', 'resource_exhausted'] as const) {
    t.test(`${name} tries again after the time that ${code} tells`, async (t) => {
      const { rig, url } = await rigThat(t, { ...SECOND, code }, answer)
      const client = create({ url, maxRetries: 1 })
      const begun = performance.now()
      t.match(await client.chat(ASK), { text: 'hi' })
      t.equal(rig.agent.forwards.length, 2)
      // Left to itself it would have waited for at most half a second
      t.ok(performance.now() - begun >= 990, 'not before the whole second of Retry-After')
    })
  }

  t.test(`${name} does not try again what was unloaded on purpose`, async (t) => {
    const { rig, url } = await rigThat(t, { code: 'unloaded', message: 'Somebody unloaded it.' }, answer)
    const client = create({ url, maxRetries: 5 })
    const refused = await client.chat(ASK).catch((error: unknown) => client.refusal(error))
    t.match(refused, { status: 503, code: 'unloaded', message: /Somebody unloaded it/ })
    t.equal(rig.agent.forwards.length, 1)
  })
}
