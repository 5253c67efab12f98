import { both, whole } from './support/answers.ts'
import { BODY, chunk, head, OK } from './support/requests.ts'
import { assertSameRequest } from './support/same.ts'
import { dial, each, startWays, type Ways } from './support/ways.ts'
import type { Message } from './support/message.ts'

/** More than is held: it goes on to the engine in chunks before its end has come. */
const LARGE = BODY.replace('}', `,"pad":"${'x'.repeat(2_000_000)}"}`)

const upload = async (ways: Ways, port: number, trailers: readonly string[]): Promise<Message> => {
  const from = ways.engine.arrivals.length
  const client = await dial(port)
  await client.send(
    `${head('Trailer: X-Sum', 'Transfer-Encoding: chunked')}${chunk(LARGE)}0\r\n${trailers.join('\r\n')}\r\n\r\n`,
  )
  const { message, wire } = await ways.engine.arrival(from)
  await wire.send(OK)
  await whole(client, 1)
  client.socket.destroy()
  return message
}

each('trailers of a body that is too large to hold pass to the engine', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const { direct, routed } = await both(ways, (port) => upload(ways, port, ['X-Sum: 1', 'x-sum: 2']))
  assertSameRequest(t, { direct, routed })
  t.equal(routed.framing, 'chunked')
  t.same(routed.trailers, [
    ['X-Sum', '1'],
    ['x-sum', '2'],
  ])
})

each('trailers pass as fields do: none of our names, nothing about connections', async (t, how) => {
  const ways = await startWays(t, { client: how })
  const trailers = ['X-Lswap-Priority: 9', 'X-Kept: 1', 'Host: else', 'Keep-Alive: timeout=1']
  const message = await upload(ways, ways.ports.routed, trailers)
  t.same(message.trailers, [['X-Kept', '1']])
})
