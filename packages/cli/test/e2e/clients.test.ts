import t, { type Test } from 'tap'
import { anthropicClient } from './clients/anthropic-client.ts'
import type { Client, Target } from './clients/client.ts'
import { fetchClient } from './clients/fetch-client.ts'
import { openAiClient } from './clients/openai-client.ts'
import { runScript, type Stage } from './clients/script.ts'
import { type Served, served } from './served.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

const CLIENTS: readonly ((target: Target) => Client)[] = [openAiClient, anthropicClient, fetchClient]

const CONTEXT = 1_024
const FLAGS = `--embeddings --pooling mean -np 1 -c ${CONTEXT}`

/** The engine's own address beside what the script needs. */
const stageOf = async ({ url }: Served, model: string): Promise<Stage & { readonly engine: string }> => {
  await fetch(`${url}/api/models/load/${model}`, { method: 'POST' })
  const { running } = (await (await fetch(`${url}/running`)).json()) as { running: { proxy: string }[] }
  const engine = running[0]?.proxy ?? ''
  return { model, contextTokens: CONTEXT, engine }
}

const bothWays = async (t: Test, router: Served, isSame: boolean): Promise<void> => {
  const { engine, ...stage } = await stageOf(router, 'a')
  for (const create of CLIENTS) {
    await t.test(create({ url: '' }).name, async (t) => {
      const direct = await runScript(t, create({ url: engine }), stage)
      const routed = await runScript(t, create({ url: router.url }), stage)
      // What a real one says is by chance
      const of = ({ texts, ...rest }: typeof direct): unknown => (isSame ? { texts, ...rest } : rest)
      t.same(of(routed), of(direct), 'the same directly and through the router')

      const refused = await create({ url: router.url })
        .chat({ model: 'nope', text: 'hello', maxTokens: 1 })
        .catch((error: unknown) => create({ url: '' }).refusal(error))
      const type = create === anthropicClient ? 'not_found_error' : 'invalid_request_error'
      t.match(refused, { status: 404, type, code: 'model_not_found', message: /nope/ })
    })
  }
}

t.test('each client works with the simulated engine as it does through the router', async (t) => {
  const speak = '--speak "grüße 漢字 👩‍👩‍👧‍👦 " --split-bytes 5'
  const router = await served(t, { models: { a: `--tokens 10000000 --tps 5000 ${speak} ${FLAGS}` } })
  await bothWays(t, router, true)
})

const { LSWAP_TEST_LLAMA_SERVER: program, LSWAP_TEST_GGUF_A: gguf } = process.env
const skip =
  program && gguf
    ? false
    : (process.env['LSWAP_TEST_SKIP_REASON'] ?? 'no real llama-server: LSWAP_TEST_LLAMA_SERVER and LSWAP_TEST_GGUF_A')

t.test('each client works with a real llama-server as it does through the router', { skip }, async (t) => {
  const command = [program ?? '', '--port', '${PORT}', '-m', gguf ?? '', '--alias', 'a', '--context-shift', '-t', '1']
  const router = await served(t, { models: { a: [...command, ...FLAGS.split(' ')] } })
  await bothWays(t, router, false)
})
