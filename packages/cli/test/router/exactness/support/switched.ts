import type { Test } from 'tap'
import { there } from './answers.ts'
import { comparable, OF_RESPONSES } from './declared.ts'
import { readMessage, valueOf, type Message } from './message.ts'
import { answer } from './requests.ts'
import { assertSameRequest } from './same.ts'
import { dial, type Ways } from './ways.ts'
import type { Wire } from './wire.ts'

export const FIELDS = [
  'Host: localhost',
  'Sec-WebSocket-Version: 13',
  'connection: keep-alive, Upgrade',
  'X-A: 1',
  'Upgrade: websocket',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'x-a: 2',
]
export const SWITCH = answer(
  '101 Go Ahead',
  'upgrade: websocket',
  'Connection: upgrade',
  'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
  'X-Name: caf\u00c3\u00a9',
  'x-name: again',
)
export const BYTES = Buffer.from(Array.from({ length: 256 }, (_, n) => n)).toString('latin1')

/** The same request for the engine: below its model at the router. */
export const ask = ({ ports }: Ways, port: number, ...fields: readonly string[]): string =>
  [`GET ${port === ports.routed ? '/upstream/a' : ''}/ws?x=%2F HTTP/1.1`, ...FIELDS, ...fields, '', ''].join('\r\n')

export interface Switched {
  readonly client: Wire
  readonly engine: Wire
  readonly request: Message
  readonly response: Message
  /** What came behind the heads. */
  readonly atClient: () => string
  readonly atEngine: () => string
}

const behindHead = (bytes: Buffer): string => bytes.toString('latin1', bytes.indexOf('\r\n\r\n') + 4)

/** A connection after 101; `clientFirst` and `engineFirst` come in one write with the heads. */
export const switchOver = async (ways: Ways, port: number, clientFirst = '', engineFirst = ''): Promise<Switched> => {
  const from = ways.engine.arrivals.length
  const client = await dial(port)
  await client.send(ask(ways, port) + clientFirst)
  const { message, wire } = await ways.engine.arrival(from)
  await wire.send(SWITCH + engineFirst)
  await client.until('the 101', () => client.bytes().includes('\r\n\r\n'))
  const response = there(readMessage(client.bytes()))
  return {
    client,
    engine: wire,
    request: message,
    response,
    atClient: () => behindHead(client.bytes()),
    atEngine: () => behindHead(wire.bytes()),
  }
}

export const assertSwitched = (t: Test, direct: Switched, routed: Switched): void => {
  assertSameRequest(t, { direct: direct.request, routed: routed.request })
  t.equal(valueOf(routed.request.fields, 'upgrade'), 'websocket')
  t.equal(valueOf(routed.request.fields, 'connection'), 'Upgrade')
  t.equal(routed.response.start, direct.response.start)
  const fields = comparable({ direct: direct.response, routed: routed.response }, OF_RESPONSES)
  t.same(fields.routed, fields.direct)
  t.equal(valueOf(routed.response.fields, 'connection'), 'upgrade', 'what speaks of the connection passes with a 101')
}
