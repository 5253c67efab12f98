import t from 'tap'
import { chat, contentOf, errorOf, eventsOf } from './chat.ts'
import { served } from './served.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

t.test('a model is loaded on demand, streams, and makes room for the next', async (t) => {
  const { url, journal, lswap, logged } = await served(t, { models: { a: '--load-ms 50', b: '--load-ms 50' } })
  await logged('lswap.yaml: 2 models')
  await logged('serial decides the order; one model at a time (no groups, matrix or router configured)')
  const first = await chat(url, 'a')
  t.equal(first.status, 200)
  t.ok((await contentOf(first)).length > 0)

  const streamed = await chat(url, 'b', { stream: true })
  t.match(streamed.headers.get('content-type'), 'text/event-stream')
  const events = eventsOf(await streamed.text())
  t.equal(events.at(-1), '[DONE]')
  t.ok(events.length > 4, 'one event a token at least')

  t.equal((await chat(url, 'a')).status, 200)
  t.equal((await chat(url, 'a')).status, 200)
  t.same(await journal.starts(), ['a', 'b', 'a'])

  const lines = (await journal.lines()).filter(({ event }) => event === 'start' || event === 'exit')
  t.same(
    lines.map(({ event, model }) => `${event} ${model}`),
    ['start a', 'exit a', 'start b', 'exit b', 'start a'],
    'never two at once',
  )
  const { stdout } = await lswap('ps')
  t.match(stdout, /^MODEL {2}STATE .*\na {6}ready {2}local +\d+ +[\d.]+ MiB +0 +0 /)
})

t.test('load, ps and unload do what they say and end with their codes', async (t) => {
  const { lswap, journal } = await served(t, { models: { a: '--load-ms 100', 'org/b:q4': '' } })
  const load = await lswap('load', 'a')
  t.match(load, { code: 0, stdout: /^a is ready after \d\.\d s\n$/ })
  t.match(await lswap('load', 'a', '--json'), { code: 0, stdout: '"state":"ready"' }, 'also when it is ready already')
  t.match(JSON.parse((await lswap('ps', '--json')).stdout), {
    running: [{ model: 'a', state: 'ready', host: 'local', pid: Number, inFlight: 0 }],
  })
  t.match(await lswap('load', 'org/b:q4'), { code: 0, stdout: /^org\/b:q4 is ready/ })
  t.same(await journal.starts(), ['a', 'org/b:q4'])
  t.match(await lswap('unload', 'org/b:q4'), { code: 0, stdout: 'org/b:q4 is unloaded\n' })
  t.match(JSON.parse((await lswap('ps', '--json')).stdout), {
    running: { length: 0 },
    hosts: [{ host: 'local', up: true }],
  })
  t.match(await lswap('unload', '--all'), { code: 0 }, 'nothing to do is no error')
  t.match(await lswap('load', 'nope'), { code: 3, stderr: /error: .*nope/, stdout: '' })
  t.match(await lswap('unload', 'nope'), { code: 3 })
  t.match(await lswap('unload', 'nope', '--ignore-not-found'), { code: 0 })
})

t.test('--no-wait and --timeout leave a load that goes on', async (t) => {
  const { lswap, journal } = await served(t, { models: { slow: '--load-ms 700', other: '' } })
  t.match(await lswap('load', 'slow', '--timeout', '0.1'), { code: 7, stderr: /the load goes on/ })
  await journal.saw('slow is ready', ({ event, model }) => event === 'ready' && model === 'slow')
  t.match(await lswap('load', 'other', '--no-wait'), { code: 0, stdout: /asked for/ })
  await journal.saw('other is ready', ({ event, model }) => event === 'ready' && model === 'other')
})

t.test('an unknown model is a 404 that names it', async (t) => {
  const { url } = await served(t, { models: { a: '' } })
  const response = await chat(url, 'nope')
  t.equal(response.status, 404)
  t.match(await errorOf(response), { code: 'model_not_found', message: /nope/ })
})

t.test('a model loaded by hand makes room like any other', async (t) => {
  const { url, lswap, journal } = await served(t, { models: { a: '', b: '' } })
  t.match(await lswap('load', 'a'), { code: 0 })
  t.equal((await chat(url, 'b')).status, 200)
  const exits = (await journal.lines()).filter(({ event }) => event === 'exit').map(({ model }) => model)
  t.same(exits, ['a'])
})

t.test('options of a request never start the engine anew', async (t) => {
  const { url, journal } = await served(t, { models: { a: '' } })
  for (const options of [{ num_ctx: 2_048 }, { num_ctx: 8_192, temperature: 0 }, { cache_prompt: false }]) {
    const body = JSON.stringify({ model: 'a', max_tokens: 1, messages: [], ...options })
    t.equal((await fetch(`${url}/v1/chat/completions`, { method: 'POST', body })).status, 200)
  }
  t.same(await journal.starts(), ['a'])
})
