import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { tlsIdentity } from '../fixtures.ts'
import { answerJson, eventStream, head } from './support/answers.ts'
import { until } from './support/ask.ts'
import { access, bearer, key } from './support/keys.ts'
import { startRig } from './support/rig.ts'

const tls = tlsIdentity()

const chat = (port: number, headers: Record<string, string> = {}) => {
  const sent = request({
    host: '127.0.0.1',
    port,
    ca: tls.cert,
    agent: false,
    method: 'POST',
    path: '/v1/chat/completions',
    headers,
  })
  sent.end('{"model":"a"}')
  return sent
}

const answerTo = async (sent: ReturnType<typeof chat>): Promise<IncomingMessage> => {
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

t.test('requests come and streams go by HTTPS, and keys are wanted all the same', async (t) => {
  const { port } = await startRig(t, {
    tls,
    config: { access: access({ keys: [key('app')] }) },
    answer: ({ handler }) => {
      handler.onHead(eventStream)
      handler.onData(Buffer.from('data: 1\n\n'))
      handler.onEnd([])
    },
  })
  t.equal((await answerTo(chat(port))).statusCode, 401)
  const response = await answerTo(chat(port, bearer('app')))
  t.match([response.statusCode, await text(response)], [200, 'data: 1\n\n'])
})

t.test('a client that leaves stops the engine; an engine that dies is noticed by the client', async (t) => {
  const { port, agent } = await startRig(t, { tls })
  const left = chat(port)
  left.on('error', () => {})
  await until('it is served', () => agent.forwards.length === 1)
  left.destroy()
  await until('the engine is told', () => agent.forwards[0]?.aborted === true)

  const cut = chat(port)
  await until('the next is served', () => agent.forwards.length === 2)
  const handler = agent.forwards[1]?.handler
  handler?.onHead(head())
  handler?.onData(Buffer.from('{"half":'))
  const response = await answerTo(cut)
  handler?.onError({ failure: { code: 'upstream_died', message: 'Gone.' }, answered: true })
  await t.rejects(text(response), { code: 'ECONNRESET' })
})

t.test('who connects and says nothing is cut after the time for headers', async (t) => {
  const { port } = await startRig(t, { tls, limits: { headersTimeoutMs: 50 } })
  const silent = connect(port, '127.0.0.1')
  silent.on('error', () => {})
  t.teardown(() => void silent.destroy())
  silent.resume()
  await once(silent, 'close')
  t.ok(silent.destroyed)
})

t.test('whoever does not speak TLS is cut and disturbs nobody', async (t) => {
  const { port, log } = await startRig(t, { tls, answer: answerJson({}) })
  const plain = connect(port, '127.0.0.1')
  plain.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')
  t.notMatch(await text(plain), 'HTTP/1.1 200')
  t.equal((await answerTo(chat(port))).statusCode, 200)
  t.notMatch(JSON.stringify(log), 'bug')
})
