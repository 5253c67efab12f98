import { readMessage } from './support/message.ts'
import { BODY, fixed, post } from './support/requests.ts'
import { dial, each, startWays } from './support/ways.ts'

/** More than the systems of both sides take for somebody who does not read. */
const MORE = 'x'.repeat(8 * 1024 * 1024)
const LARGE = fixed('y'.repeat(1024 * 1024))

/** `answer`: of the engine; absent: lswap refuses, and the client is still sending the body. */
const rows: readonly {
  readonly name: string
  readonly request: string
  readonly answer?: string
  readonly start: string
}[] = [
  {
    name: 'bytes behind Connection: close',
    request: post(BODY, 'Connection: close') + MORE,
    answer: LARGE,
    start: '200 OK',
  },
  {
    name: 'bytes behind a request of HTTP/1.0',
    request: post().replace('HTTP/1.1', 'HTTP/1.0') + MORE,
    answer: LARGE,
    start: '200 OK',
  },
  {
    name: 'the body of a request with Connection: close',
    request: post(`{"model":"nobody","x":"${MORE}"}`, 'Connection: close'),
    start: '404 Not Found',
  },
]

each('the last answer of a connection comes whole, whatever its client still sends', async (t, how) => {
  const ways = await startWays(t, { client: how, limits: { discardMs: 60_000 } })
  for (const { name, request, answer, start } of rows) {
    const from = ways.engine.arrivals.length
    const client = await dial(ways.ports.routed)
    client.socket.pause()
    const sent = client.send(request)
    if (answer !== undefined) await (await ways.engine.arrival(from)).wire.send(answer)
    await ways.goRound()
    client.socket.resume()
    await sent
    t.equal(await client.ended(), 'closed', name)
    t.match(readMessage(client.bytes(), 'POST'), { start: `HTTP/1.1 ${start}`, isComplete: true }, name)
  }
})
