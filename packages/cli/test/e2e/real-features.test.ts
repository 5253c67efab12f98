import t from 'tap'
import { eventsOf } from './chat.ts'
import { gone } from './processes.ts'
import { type Served, served } from './served.ts'
import { until } from './until.ts'

// What a configuration asks of a real llama-server: with a simulated one it is only as true as the simulation
t.setTimeout(240_000)

const { LSWAP_TEST_LLAMA_SERVER: engine, LSWAP_TEST_GGUF_A: a, LSWAP_TEST_LORA_A: lora } = process.env
const noEngine =
  process.env['LSWAP_TEST_SKIP_REASON'] ?? 'no real llama-server: LSWAP_TEST_LLAMA_SERVER and LSWAP_TEST_GGUF_A'
const skip = engine && a ? false : noEngine
const skipLora = skip || lora ? skip : 'no LoRA for this model: LSWAP_TEST_LORA_A'

const command = [engine ?? '', '--port', '${PORT}', '-m', a ?? '', ...'-np 1 -c 512'.split(' ')]

interface Answer {
  readonly choices: readonly { readonly message: { readonly content: string } }[]
  readonly usage: { readonly completion_tokens: number }
}

const ask = async (url: string, body: object): Promise<Answer> => {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ max_tokens: 12, messages: [{ role: 'user', content: 'hello' }], temperature: 0, ...body }),
    signal: AbortSignal.timeout(60_000),
  })
  return (await response.json()) as Answer
}

const pids = async ({ lswap }: Served): Promise<readonly number[]> => {
  const { running } = JSON.parse((await lswap('ps', '--json')).stdout) as { running: readonly { pid: number }[] }
  return running.map(({ pid }) => pid)
}

t.test('a LoRA acts on requests for its alias and on no others, without a swap', { skip: skipLora }, async (t) => {
  const router = await served(t, {
    models: { a: command },
    perModel: `adapters: { poet: ${JSON.stringify(lora)}, faint: { path: ${JSON.stringify(lora)}, scale: 0.001 } }`,
  })
  const say = async (body: object): Promise<string> => (await ask(router.url, body)).choices[0]?.message.content ?? ''
  const plain = await say({ model: 'a' })
  const off = await say({ model: 'a', lora: [{ id: 0, scale: 0 }] })
  const poet = await say({ model: 'poet' })
  t.ok(plain.length > 5 && poet.length > 5)
  t.equal(plain, off, 'the model itself is without it')
  t.not(poet, plain, 'the alias is with it')
  t.equal(await say({ model: 'a', lora: [{ id: 0, scale: 1 }] }), poet, 'at full scale')
  t.equal(await say({ model: 'faint' }), plain, 'a scale of next to nothing changes nothing')
  t.equal(await say({ model: 'a' }), plain, 'and the model is as before')
  t.equal((await pids(router)).length, 1)
  t.equal((await router.lswap('logs', 'router')).stdout.split('swap starts').length, 2, 'one load for all of them')
  t.notMatch(router.stderr(), /could not be switched off/)
})

t.test('a conversation of a real llama-server goes on from its cache after a swap', { skip }, async (t) => {
  const { url, lswap } = await served(t, { models: { a: command }, perModel: 'saveSlots: true' })
  const messages = [
    { role: 'user', content: 'tell me once more of the river and of the old mills at its banks '.repeat(4) },
  ]
  const cached = async (): Promise<number> => {
    const { timings } = (await ask(url, { model: 'a', messages })) as Answer & { timings: { cache_n: number } }
    t.match(await lswap('unload', 'a'), { code: 0 })
    return timings.cache_n
  }
  t.equal(await cached(), 0)
  t.ok((await cached()) > 20, 'proved, and used')
  t.ok((await cached()) > 20, 'used')
})

t.test('preload, filters and ttl do with a real llama-server what they say', { skip }, async (t) => {
  const router = await served(t, {
    models: { a: command },
    yaml: 'hooks: { on_startup: { preload: [a] } }\n',
    perModel: `filters: { stripParams: n_predict, setParams: { max_tokens: 3 }, setParamsByID: { "a:long": { max_tokens: 7 } } }`,
  })
  await until('the preload', async () => ((await pids(router)).length === 1 ? true : undefined))
  const tokens = async (model: string, more: object = {}): Promise<number> =>
    (await ask(router.url, { model, max_tokens: 20, ...more })).usage.completion_tokens
  t.equal(await tokens('a'), 3, 'whatever the client asked for')
  t.equal(await tokens('a:long', { n_predict: 2 }), 7, 'a name with parameters of its own')
  const [pid = -1] = await pids(router)
  await router.edit((text) => text.replace('    filters:', '    ttl: 1\n    filters:'))
  t.match(await router.lswap('reload'), { code: 0, stdout: /changed: a \(ttl\)/ })
  t.ok(await gone(pid), 'it is unloaded after its second')
  t.same(await pids(router), [])
})

t.test('who waits for a real load is told of it, in the stream of the answer', { skip }, async (t) => {
  const { url } = await served(t, { models: { a: command }, yaml: 'sendLoadingState: true\n' })
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'a', stream: true, max_tokens: 4, messages: [{ role: 'user', content: 'hi' }] }),
    signal: AbortSignal.timeout(60_000),
  })
  const events = eventsOf(await response.text())
  t.equal(events.at(-1), '[DONE]')
  const deltas = events
    .slice(0, -1)
    .map((event) => (JSON.parse(event) as { choices: { delta: object }[] }).choices[0]?.delta)
  const said = (key: string): string =>
    deltas.map((delta) => (delta as Record<string, string> | undefined)?.[key] ?? '').join('')
  t.match(said('content'), /\S/)
  t.match(said('reasoning_content'), /^(?:$|Loading a[^]*Ready after)/, 'a load of a few milliseconds needs no word')
})
