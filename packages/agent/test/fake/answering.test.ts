import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { readyFake } from './support/fake.ts'
import { ask, chatBody, chatText, getText, openRaw } from './support/http.ts'
import { readJournal } from './support/journal.ts'
import { until } from './support/until.ts'

const CHAT = '/v1/chat/completions'

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string }; readonly finish_reason: string }[]
  readonly usage: { readonly completion_tokens: number }
}

/** Sizes of the chunks of an answer that is plain ASCII. */
function chunkSizes(answer: string): number[] {
  const sizes: number[] = []
  let at = answer.indexOf('\r\n\r\n') + 4
  while (at < answer.length) {
    const lineEnd = answer.indexOf('\r\n', at)
    const size = Number.parseInt(answer.slice(at, lineEnd), 16)
    sizes.push(size)
    at = lineEnd + 2 + size + 2
  }
  return sizes
}

const chat = async (port: number, settings: Record<string, unknown> = {}): Promise<Completion> =>
  JSON.parse((await ask(port, CHAT, chatBody(settings))).body) as Completion

t.test('--tokens is the length of an answer unless the request wants less', async (t) => {
  const { port } = await readyFake(t, '--tokens 5')
  t.match(await chat(port), { choices: [{ finish_reason: 'stop' }], usage: { completion_tokens: 5 } })
  t.match(await chat(port, { max_tokens: 2 }), {
    choices: [{ finish_reason: 'length' }],
    usage: { completion_tokens: 2 },
  })
  t.match(await chat(port, { max_tokens: 9 }), { usage: { completion_tokens: 5 } })
})

t.test('the same request has the same answer, another model another one', async (t) => {
  const [a, b] = await Promise.all([readyFake(t), readyFake(t, '--alias another')])
  const texts = await Promise.all([a, a, b].map(async ({ port }) => (await chat(port)).choices[0]?.message.content))
  t.equal(texts[0], texts[1])
  t.not(texts[0], texts[2])
})

t.test('--first-token-ms, --prefill-ms and --tps set the pace', async (t) => {
  const { port } = await readyFake(t, '--first-token-ms 60 --prefill-ms 40 --tps 100 --tokens 6')
  const askedAt = performance.now()
  const stream = openRaw(port, chatText({ stream: true }))
  await until('the first token', () => stream.text().includes('data:'))
  const firstAt = performance.now()
  await stream.closed
  t.ok(firstAt - askedAt >= 98, `first after ${firstAt - askedAt} ms`)
  t.ok(performance.now() - askedAt >= 148, `last after ${performance.now() - askedAt} ms`)
})

t.test('--parallel: more than so many wait', async (t) => {
  const { port } = await readyFake(t, '--parallel 1 --tokens 1000000 --tps 100 --metrics')
  const first = openRaw(port, chatText({ stream: true }))
  await until('the first has its slot', () => first.text().includes('data:'))
  const second = openRaw(port, chatText({ stream: true, max_tokens: 1 }))
  await until('the second waits', async () => (await ask(port, '/metrics')).body.includes('requests_deferred 1'))
  first.socket.destroy()
  await second.closed
  t.match(second.text(), /data: \[DONE\]/)
})

t.test('--linger-ms: a slot stays taken after its client left before the first token', async (t) => {
  const { port } = await readyFake(t, '--parallel 1 --prefill-ms 600000 --linger-ms 300 --metrics')
  const isAtOne = async () => (await ask(port, '/metrics')).body.includes('requests_processing 1')
  const first = openRaw(port, chatText({}))
  await until('it has its slot', isAtOne)
  first.socket.destroy()
  const leftAt = performance.now()
  await first.closed
  await until('the slot is free', async () => !(await isAtOne()))
  t.ok(performance.now() - leftAt >= 298, `free after ${performance.now() - leftAt} ms`)
})

t.test('--crash-after-tokens dies in the middle of an answer', async (t) => {
  const engine = await readyFake(t, '--crash-after-tokens 3 --tokens 10')
  const stream = openRaw(engine.port, chatText({ stream: true }))
  t.match(await engine.exited, { code: 134 })
  await stream.closed
  t.equal(stream.text().match(/"content":" /g)?.length, 3)
  t.notMatch(stream.text(), /\r\n0\r\n\r\n$/)
})

t.test('--cut-after-tokens breaks the connection and lives on', async (t) => {
  const engine = await readyFake(t, '--cut-after-tokens 3 --tokens 10')
  const stream = openRaw(engine.port, chatText({ stream: true }))
  await stream.closed
  t.notMatch(stream.text(), /\r\n0\r\n\r\n$/)
  t.equal((await ask(engine.port, '/health')).status, 200)
})

t.test('--split-bytes cuts the stream anywhere and changes nothing of it', async (t) => {
  const { port } = await readyFake(t, '--split-bytes 7 --tokens 3')
  const stream = openRaw(port, chatText({ stream: true }))
  await stream.closed
  const sizes = chunkSizes(stream.text())
  t.ok(sizes.length > 40)
  t.ok(sizes.every((size) => size <= 7))
  const whole = await ask(port, CHAT, chatBody({ stream: true }))
  t.match(whole.body, /^data: \{.*\}\n\n(data: \{.*\}\n\n){4}data: \[DONE\]\n\n$/)
})

t.test('--echo tells what arrived', async (t) => {
  const { port } = await readyFake(t, '--echo')
  const body = JSON.stringify({ text: 'Grüße, 世界' })
  const echoed = JSON.parse((await ask(port, '/any/where?x=1', body, { 'X-Mine': 'a' })).body) as Record<
    string,
    unknown
  >
  t.match(echoed, {
    method: 'POST',
    url: '/any/where?x=1',
    length: Buffer.byteLength(body),
    sha256: createHash('sha256').update(body).digest('hex'),
  })
  const headers = echoed['headers'] as string[]
  t.equal(headers[headers.indexOf('X-Mine') + 1], 'a')
})

t.test('--status fails every inference with an error body', async (t) => {
  const { port } = await readyFake(t, '--status 503')
  const answer = await ask(port, CHAT, chatBody({}))
  t.match(answer, { status: 503, headers: { connection: 'close' } })
  t.match(JSON.parse(answer.body), { error: { code: 503 } })
})

t.test('--require-key takes a bearer token or x-api-key', async (t) => {
  const { port } = await readyFake(t, '--require-key k')
  t.equal((await ask(port, CHAT, chatBody({}))).status, 401)
  t.equal((await ask(port, CHAT, chatBody({}), { authorization: 'Bearer k' })).status, 200)
  t.equal((await ask(port, CHAT, chatBody({}), { 'x-api-key': 'k' })).status, 200)
})

t.test('--idle-close-ms closes an idle connection, not a busy one', async (t) => {
  const { port } = await readyFake(t, '--idle-close-ms 60 --first-token-ms 200')
  const connection = openRaw(port, getText('/health'))
  await until('an answer', () => connection.text().endsWith('}'))
  connection.socket.write(chatText({ max_tokens: 1 }))
  await until('a late answer', () => connection.text().endsWith('}}'))
  const idleSince = performance.now()
  await connection.closed
  t.match(connection.text(), /"finish_reason":"length"/)
  t.ok(performance.now() - idleSince >= 50)
})

t.test('a client that leaves is in the journal as aborted', async (t) => {
  const journal = join(scratch(t), 'journal.jsonl')
  const { port } = await readyFake(t, `--tokens 1000000 --tps 100 --journal ${journal}`)
  const client = openRaw(port, chatText({ stream: true }))
  await until('the first token', () => client.text().includes('data:'))
  client.socket.destroy()
  const phases = (): string[] => readJournal(journal).flatMap((line) => (line.event === 'request' ? [line.phase] : []))
  await until('it is noticed', () => phases().length === 2)
  t.same(phases(), ['begin', 'aborted'])
})

t.test('a reader that stops does not make it hold the stream in memory', async (t) => {
  const { port } = await readyFake(t, '--tokens 10000000 --metrics')
  const client = openRaw(port, chatText({ stream: true, max_tokens: 10_000_000 }))
  await until('the first token', () => client.text().includes('data:'))
  client.socket.pause()
  const decoded = async (): Promise<number> =>
    Number(/n_decode_total (\d+)/.exec((await ask(port, '/metrics')).body)?.[1] ?? 0)
  let before = -1
  await until(
    'it stands still',
    async () => {
      const now = await decoded()
      const stands = now === before
      before = now
      return stands
    },
    50,
  )
  t.ok(before < 10_000_000)
})
