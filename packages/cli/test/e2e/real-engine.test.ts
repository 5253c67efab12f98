import t, { type Test } from 'tap'
import { chat, contentOf, eventsOf } from './chat.ts'
import { start } from './command.ts'
import { gone } from './processes.ts'
import { type Served, served } from './served.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

const { LSWAP_TEST_LLAMA_SERVER: engine, LSWAP_TEST_GGUF_A: a, LSWAP_TEST_GGUF_B: b } = process.env
const skip =
  engine && a && b
    ? false
    : (process.env['LSWAP_TEST_SKIP_REASON'] ?? 'no real llama-server: LSWAP_TEST_LLAMA_SERVER and LSWAP_TEST_GGUF_A/B')

const FLAGS = '--embeddings --pooling mean -np 2 -c 512'.split(' ')

const command = (model = ''): readonly string[] => [engine ?? '', '--port', '${PORT}', '-m', model, ...FLAGS]

const serveBoth = (t: Test): Promise<Served> => served(t, { models: { a: command(a), b: command(b) } })

const pidOf = async ({ lswap }: Served, model: string): Promise<number> => {
  const { stdout } = await lswap('ps', '--json')
  const { running } = JSON.parse(stdout) as { running: readonly { model: string; pid: number }[] }
  return running.find((entry) => entry.model === model)?.pid ?? -1
}

t.test('a real llama-server is loaded on demand, streams, swaps and unloads', { skip }, async (t) => {
  const router = await serveBoth(t)
  const answer = await chat(router.url, 'a', { maxTokens: 8 })
  t.equal(answer.status, 200)
  t.type(await contentOf(answer), 'string')
  const first = await pidOf(router, 'a')

  const streamed = await chat(router.url, 'b', { stream: true, maxTokens: 8 })
  t.equal(streamed.status, 200)
  t.equal(eventsOf(await streamed.text()).at(-1), '[DONE]')
  t.ok(await gone(first), 'the first made room')

  const embedded = await fetch(`${router.url}/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'b', input: 'hello' }),
    signal: AbortSignal.timeout(60_000),
  })
  t.equal(embedded.status, 200)
  t.match(await embedded.json(), { data: [{ embedding: Array }] })

  const second = await pidOf(router, 'b')
  t.match(await router.lswap('unload', 'b'), { code: 0, stdout: 'b is unloaded\n' })
  t.ok(await gone(second))
  t.match(JSON.parse((await router.lswap('ps', '--json')).stdout), { running: { length: 0 } })
  t.equal((await chat(router.url, 'a', { maxTokens: 1 })).status, 200, 'and back again')
})

t.test('a stop with a request in flight on a real llama-server leaves no process', { skip }, async (t) => {
  const router = await serveBoth(t)
  const streamed = await chat(router.url, 'a', { stream: true, maxTokens: 100_000 })
  const pid = await pidOf(router, 'a')
  t.ok(pid > 0)
  router.signal('SIGINT')
  // Two signals at once may arrive as one
  await router.logged('SIGINT: stopping')
  router.signal('SIGINT')
  t.match(await router.ended, { code: 130, signal: null })
  await streamed.text().catch(() => '')
  t.ok(await gone(pid))
})

t.test('Ctrl-C while a real llama-server loads leaves no process', { skip }, async (t) => {
  const router = await serveBoth(t)
  const waiting = start(['load', 'a'], { env: { LSWAP_URL: router.url } })
  router.signal('SIGTERM')
  t.match(await router.ended, { code: 0, signal: null })
  t.ok((await waiting.ended).code !== null)
})
