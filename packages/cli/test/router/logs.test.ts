import { createLogRing } from '@lswap/agent'
import { modelId } from '@lswap/core'
import { request, type IncomingMessage } from 'node:http'
import t from 'tap'
import { ask, errorOf, until } from './support/ask.ts'
import { model } from './support/config.ts'
import { access, bearer, key } from './support/keys.ts'
import { startRig } from './support/rig.ts'

interface Reader {
  text(): string
  readonly response: IncomingMessage
  isEnded(): boolean
  close(): void
}

const follow = async (port: number, path: string, headers: Record<string, string> = {}): Promise<Reader> => {
  const sent = request({ port, host: '127.0.0.1', path, agent: false, headers })
  sent.on('error', () => {})
  sent.end()
  const response = await new Promise<IncomingMessage>((resolve) => sent.once('response', resolve))
  let text = ''
  let isEnded = false
  response.on('data', (chunk: Buffer) => (text += chunk.toString()))
  response.on('error', () => {})
  response.on('close', () => (isEnded = true))
  return { text: () => text, response, isEnded: () => isEnded, close: () => void sent.destroy() }
}

const has = (reader: Reader, part: string): Promise<void> =>
  until(`"${part}" in ${reader.text().slice(-200)}`, () => reader.text().includes(part))

const ownLog = (...lines: string[]) => {
  const ring = createLogRing()
  for (const line of lines) ring.push(Buffer.from(line))
  return { ring, shape: async () => (line: string) => `shaped ${line}\n` }
}

t.test('/logs has the router\u2019s log and that of every model, each line with its name', async (t) => {
  const { port, agent } = await startRig(t, { ownLog: ownLog('one', 'two', 'three') })
  agent.print('a', 'loading')
  agent.print('a', 'loaded')
  const all = await ask(port, { path: '/logs?tail=2' })
  t.match(all.headers, { 'content-type': /^text\/plain/ })
  t.equal(all.text, 'router | shaped two\nrouter | shaped three\na | loading\na | loaded\n')
  t.equal((await ask(port, { path: '/logs?model=a&tail=1' })).text, 'loaded\n')
  t.equal((await ask(port, { path: '/logs?model=router&tail=1' })).text, 'shaped three\n')
  const bad = await ask(port, { path: '/logs?tail=-1' })
  t.match([bad.status, errorOf(bad).code], [400, 'invalid_request'])
})

t.test('a model of any id has its own stream: what is there, then what comes', async (t) => {
  const { port, agent } = await startRig(t, { models: [model('org/m:q4', { aliases: ['m'] }), model('other')] })
  for (const line of ['one', 'two', 'three']) agent.print('org/m:q4', line)
  agent.print('other', 'not this')
  const reader = await follow(port, '/logs/stream/org/m:q4?tail=2')
  await has(reader, 'three\n')
  agent.print('org/m:q4', 'four 漢字')
  await has(reader, 'four 漢字\n')
  t.equal(reader.text(), 'two\nthree\nfour 漢字\n')
  const bare = await follow(port, '/logs/stream/m?no-history')
  agent.print('org/m:q4', 'five')
  await has(bare, 'five\n')
  t.equal(bare.text(), 'five\n')
  reader.close()
  bare.close()
  const unknown = await ask(port, { path: '/logs/stream/nope' })
  t.match([unknown.status, errorOf(unknown).code], [404, 'model_not_found'])
})

t.test('all of them in one stream, also as NDJSON', async (t) => {
  const own = ownLog('start')
  const { port, agent } = await startRig(t, { ownLog: own })
  const reader = await follow(port, '/logs/stream', { Accept: 'application/x-ndjson' })
  await has(reader, 'start')
  agent.print('b', 'line "of" b')
  own.ring.push(Buffer.from('next'))
  await has(reader, 'next')
  await has(reader, 'of')
  const lines = reader.text().trimEnd().split('\n')
  t.same(
    lines
      .map((line) => JSON.parse(line) as unknown)
      .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    [
      { source: 'b', line: 'line "of" b' },
      { source: 'router', line: 'shaped next' },
      { source: 'router', line: 'shaped start' },
    ],
  )
  reader.close()
})

t.test('a reader that takes nothing loses lines, is told how many, and the engine never waits', async (t) => {
  const { port, agent } = await startRig(t)
  const reader = await follow(port, '/logs/stream/a')
  agent.print('a', 'first')
  await has(reader, 'first')
  reader.response.pause()
  const line = 'x'.repeat(200)
  // Far more than sockets and ring hold
  for (let round = 0; round < 200; round += 1) {
    for (let count = 0; count < 500; count += 1) agent.print('a', line)
    await new Promise((resolve) => setImmediate(resolve))
  }
  agent.print('a', 'last')
  reader.response.resume()
  await has(reader, 'last\n')
  const lines = reader.text().split('\n').slice(0, -1)
  const lost = lines.flatMap((text) => Number(/^--- (\d+) lines lost: read too slowly ---$/.exec(text)?.[1] ?? 0))
  t.ok(
    lost.some((count) => count > 1_000),
    'and says so',
  )
  const told = lines.filter((text) => text === line).length
  t.equal(told + lost.reduce((sum, count) => sum + count, 0), 100_000, 'every line is told or counted')
  reader.close()
})

t.test('a key that reaches some models reads their logs alone', async (t) => {
  const keys = [key('one', { scopes: ['read'], models: [modelId('a')] })]
  const { port, agent } = await startRig(t, { ownLog: ownLog('b is loaded'), config: { access: access({ keys }) } })
  agent.print('a', 'mine')
  agent.print('b', 'not mine')
  t.equal((await ask(port, { path: '/logs', headers: bearer('one') })).text, 'mine\n')
  for (const path of ['/logs/stream/b', '/logs/stream/router', '/logs?model=b']) {
    const told = await ask(port, { path, headers: bearer('one') })
    t.match([told.status, errorOf(told).code], [403, 'forbidden'], path)
  }
})

t.test('a shutdown ends the streams', async (t) => {
  const { port, router } = await startRig(t)
  const reader = await follow(port, '/logs/stream/a')
  await router.close()
  await until('it ended', () => reader.isEnded())
  t.ok(reader.response.complete)
})
