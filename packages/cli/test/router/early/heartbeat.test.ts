import t from 'tap'
import { createAnswer } from '../../../src/router/answer/answer.ts'
import type { Call } from '../../../src/router/call.ts'
import { eventStream, head } from '../support/answers.ts'
import { model } from '../support/config.ts'
import { CHAT, payload, PULSE, startEarlyRig, told } from './support.ts'

const EARLY = 'X-Lswap-Early: 1\r\n'
const plain = [model('a'), model('b')]

const comments = (text: string): readonly string[] => text.split('\n\n').filter((event) => event.startsWith(':'))

t.test(
  'a stream that asks for it gets an early head, and a comment every ten seconds until its first byte',
  async (t) => {
    for (const path of [
      '/v1/chat/completions',
      '/v1/completions',
      '/v1/responses',
      '/v1/messages',
      '/infill',
      '/completion',
    ]) {
      const { clock, send, waiting, served, endLoad } = await startEarlyRig(t, { models: plain })
      const client = await send({ path, body: CHAT, headers: EARLY })
      await waiting(1)
      await clock.advance(100)
      await client.has('\n\n')
      t.match(client.text(), /^HTTP\/1\.1 200 /)
      t.same(comments(payload(client)), [
        ': lswap: loading a since 0.1 s, never measured before, position 1 in the queue',
      ])
      await clock.advance(9_999)
      t.equal(comments(payload(client)).length, 1)
      await clock.advance(1)
      await client.has('since 10 s')
      // The engine reads a long prompt
      endLoad()
      const { handler } = await served(1)
      await clock.advance(10_000)
      await client.has(': lswap: the engine is at it\n\n')
      handler.onHead(eventStream)
      await clock.advance(10_000)
      handler.onData(Buffer.from('data: {"he'))
      await client.has('{"he')
      await clock.advance(60_000)
      handler.onData(Buffer.from('llo":1}\n\n'))
      handler.onEnd([])
      await client.has('0\r\n\r\n')
      t.match(
        payload(client),
        /: lswap: the engine is at it\n\n: lswap: the engine is at it\n\ndata: \{"hello":1\}\n\n$/,
      )
      t.notMatch(payload(client), /reasoning|ping/)
      t.equal(clock.pending(), PULSE, path)
    }
  },
)

t.test('a hot model that reads long gets its head from lswap after ten seconds, not before', async (t) => {
  const { clock, send, waiting, served, endLoad } = await startEarlyRig(t, { models: plain })
  await send({ body: { model: 'a' } })
  await waiting(1)
  endLoad()
  await served(1)
  const client = await send({ body: CHAT, headers: EARLY })
  await served(2)
  await clock.advance(9_999)
  t.equal(client.text(), '')
  await clock.advance(1)
  await client.has('the engine is at it')
  const quick = await send({ body: CHAT, headers: EARLY })
  const { handler } = await served(3)
  handler.onHead(head({ status: 400 }))
  handler.onEnd([])
  await quick.has('HTTP/1.1 400 ')
})

t.test('the file can ask for it for everybody, and can forbid it', async (t) => {
  const models = [
    model('always', { heartbeat: true }),
    told('never', { heartbeat: false }),
    model('silent', { heartbeat: false }),
  ]
  const { clock, send, waiting } = await startEarlyRig(t, { models })
  const [always, never, silent, refused] = [
    await send({ body: { model: 'always', stream: true } }),
    await send({ body: { model: 'never', stream: true } }),
    await send({ body: { model: 'silent', stream: true }, headers: EARLY }),
    await send({ body: { model: 'always', stream: true }, headers: 'X-Lswap-Early: 0\r\n' }),
  ]
  await waiting(4)
  await clock.advance(100)
  await always?.has(': lswap: ')
  await never?.has('reasoning_content')
  t.same([silent?.text(), refused?.text()], ['', ''])
})

t.test('an answer that is no stream gets no comments', async (t) => {
  const { clock, send, waiting, served, endLoad } = await startEarlyRig(t, { models: plain })
  await send({ body: { model: 'a' } })
  await waiting(1)
  endLoad()
  await served(1)
  const client = await send({ body: CHAT, headers: EARLY })
  const { handler } = await served(2)
  handler.onHead(head({ length: 2 }))
  await client.has('\r\n\r\n')
  await clock.advance(30_000)
  handler.onData(Buffer.from('{}'))
  handler.onEnd([])
  await client.has('{}')
  t.match(client.text(), /\r\n\r\n\{\}$/)
})

t.test('a client that does not read gets no heap of comments', async (t) => {
  const written: string[] = []
  const res = {
    writableNeedDrain: false,
    on: () => res,
    writeHead: () => res,
    flushHeaders: () => {},
    write: (text: string) => {
      written.push(text)
      return false
    },
  }
  const answer = createAnswer({ res, path: '/' } as unknown as Call, () => {})
  t.equal(answer.note('too soon'), false)
  answer.begin({})
  t.equal(answer.note('one'), true)
  res.writableNeedDrain = true
  t.equal(answer.note('two'), true)
  res.writableNeedDrain = false
  t.equal(answer.note('three'), true)
  t.same(written, ['one', 'three'])
  answer.open(eventStream, [])
  t.equal(answer.note('four'), true)
  answer.write(Buffer.from('data: 1\n\n'))
  t.equal(answer.note('too late'), false)
})
