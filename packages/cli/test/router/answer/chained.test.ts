import t from 'tap'
import { answerJson, head } from '../support/answers.ts'
import { ask, until } from '../support/ask.ts'
import { rawClient, chat } from '../support/raw-client.ts'
import { startRig } from '../support/rig.ts'

/** What an lswap behind this one tells of itself. */
const BEHIND = [
  'X-Lswap-Request-Id',
  '4711',
  'Server-Timing',
  'queue;dur=9.0, swap;dur=9.0, upstream;dur=9.0',
  'X-Lswap-Model',
  'inner',
  'x-lswap-host',
  'inner-host',
  'X-Lswap-Wait-Ms',
  '9',
  'X-Request-Id',
  'mine',
  'X-Other',
  'kept',
]

const countOf = (text: string, part: string): number => text.toLowerCase().split(part.toLowerCase()).length - 1

t.test('behind another lswap each header of ours stands there once, and tells of the one in front', async (t) => {
  const { port } = await startRig(t, {
    answer: ({ handler }) => {
      handler.onHead(head({ headers: ['Content-Type', 'application/json', ...BEHIND] }))
      handler.onEnd([])
    },
  })
  const client = await rawClient(port)
  client.send(chat('{"model":"a"}', 'X-Request-Id: mine'))
  await client.has('0\r\n\r\n')
  for (const name of ['Request-Id', 'Model', 'Host', 'Wait-Ms'])
    t.equal(countOf(client.text(), `\r\nX-Lswap-${name}: `), 1, name)
  t.match(client.text(), '\r\nX-Lswap-Model: a\r\n')
  t.match(client.text(), '\r\nX-Lswap-Host: local\r\n')
  t.equal(countOf(client.text(), '\r\nServer-Timing: '), 1)
  t.notMatch(client.text(), /inner|4711|dur=9\.0/)
  t.equal(countOf(client.text(), '\r\nX-Request-Id: mine\r\n'), 1)
  t.match(client.text(), '\r\nX-Other: kept\r\n')
})

t.test('nor do they stand in an interim answer', async (t) => {
  const { port } = await startRig(t, {
    answer: ({ handler }) => {
      handler.onInformation?.(103, ['Link', '</a>', ...BEHIND])
      handler.onHead(head({ headers: [], length: 0 }))
      handler.onEnd([])
    },
  })
  const client = await rawClient(port)
  client.send(chat('{"model":"a"}'))
  await client.has('200 OK')
  t.match(client.text(), /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a>\r\n/)
  t.notMatch(client.text(), /inner|4711/)
})

t.test('a 204 tells of no length, whatever the engine says', async (t) => {
  const { port } = await startRig(t, {
    answer: ({ handler }) => {
      handler.onHead(head({ status: 204, headers: ['Content-Length', '0', 'X-A', '1'], length: 0, bodyless: true }))
      handler.onEnd([])
    },
  })
  const told = await ask(port, { body: '{"model":"a"}' })
  t.match([told.status, told.headers['x-a']], [204, '1'])
  t.notOk('content-length' in told.headers)
})

t.test('an engine that is no lswap keeps its own Server-Timing beside ours', async (t) => {
  const { port } = await startRig(t, {
    answer: ({ handler }) => {
      handler.onHead(head({ headers: ['Server-Timing', 'prefill;dur=1'] }))
      handler.onEnd([])
    },
  })
  const told = await ask(port, { body: '{"model":"a"}' })
  t.match(told.headers['server-timing'], /^prefill;dur=1, queue;dur=/)
})

t.test('the request’s own id goes on to the engine, our names do not', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}) })
  await ask(port, { body: '{"model":"a"}', headers: { 'X-Request-Id': 'mine', 'X-Lswap-Priority': '3' } })
  await until('it was served', () => agent.forwards.length === 1)
  const names = agent.forwards[0]?.request.headers ?? []
  t.ok(names.includes('mine'))
  t.notOk(names.some((name) => /^x-lswap/i.test(name)))
})
