import { IncomingMessage, ServerResponse } from 'node:http'
import { queryObjects } from 'node:v8'
import t from 'tap'
import { PlainRequest } from '../../src/router/plain/request.ts'
import { PlainResponse } from '../../src/router/plain/response.ts'
import { answerJson } from './support/answers.ts'
import { until } from './support/ask.ts'
import { model } from './support/config.ts'
import { chat, rawClient } from './support/raw-client.ts'
import { startRig } from './support/rig.ts'

const CONNECTIONS = 50

/** `before`: what is written before a request. */
const WAYS = [
  { way: 'plain', before: '', messages: [PlainRequest, PlainResponse] },
  { way: "node:http's", before: '\r\n', messages: [IncomingMessage, ServerResponse] },
]

for (const { way, before, messages } of WAYS) {
  /** How many of each there are once what nobody holds is collected. */
  const kept = (): number[] => messages.map((message) => Number(queryObjects(message)))

  t.test(`a connection that lies idle keeps nothing of its last request, ${way}`, async (t) => {
    const first = kept()
    const { port, agent, router } = await startRig(t, { models: [model('a', { concurrencyLimit: CONNECTIONS })] })
    const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => rawClient(port)))
    for (const client of clients) client.send(before + chat('{"model":"a"}'))
    await until('all run', () => agent.forwards.length === CONNECTIONS)
    const running = kept()
    t.ok(
      running.every((count, at) => count - (first[at] ?? 0) >= CONNECTIONS),
      `${running.join(', ')}: they are of these kinds`,
    )
    agent.forwards.forEach(answerJson({ ok: true }))
    await Promise.all(clients.map((client) => client.has('{"ok":true}')))
    await until('all have ended', () => router.activity().count === CONNECTIONS)
    // It remembers whom it served
    agent.forwards.length = 0
    t.same(kept(), first)
    t.ok(clients.every((client) => client.end() === undefined))
    for (const { socket } of clients) socket.destroy()
  })
}
