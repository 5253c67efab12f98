import { readMessage, type Message } from './message.ts'
import { dial, type Ways } from './ways.ts'
import type { Ending } from './wire.ts'

type Bytes = string | Buffer

/** Raw bytes of one exchange; each piece is a write of its own, strings are Latin-1. */
export interface Row {
  readonly name: string
  readonly request: readonly Bytes[]
  /** A piece is sent once the client has what of the body came before it. */
  readonly answer: readonly Bytes[]
  /** How the engine ends its connection after the answer; absent: it stays open. */
  readonly ends?: 'close' | 'reset'
}

export interface Outcome {
  /** What the engine got. */
  readonly request: Message
  /** What the client got; undefined: no head. */
  readonly response: Message | undefined
  /** How the client's connection ended before the answer was complete, or with a body that goes until the end. */
  readonly ending: Ending | undefined
}

/** Plays a row over one of the two ways. */
export const play = async ({ engine, ports }: Ways, way: keyof Ways['ports'], row: Row): Promise<Outcome> => {
  const before = engine.arrivals.length
  const client = await dial(ports[way])
  for (const piece of row.request) await client.send(piece)
  const { message, wire } = await engine.arrival(before)
  const [method = ''] = message.start.split(' ')
  const read = (): Message | undefined => readMessage(client.bytes(), method)

  const sent: Buffer[] = []
  for (const piece of row.answer) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece
    sent.push(bytes)
    await wire.send(bytes)
    const expected = readMessage(Buffer.concat(sent), method)
    if (expected !== undefined) {
      await client.until(`${expected.body.length} bytes of the body`, () => {
        const length = read()?.body.length
        return client.ending() !== undefined || (length !== undefined && length >= expected.body.length)
      })
    }
  }
  if (row.ends === 'close') wire.socket.end()
  if (row.ends === 'reset') wire.reset()

  await client.until('a whole answer or the end', () => read()?.isComplete === true || client.ending() !== undefined)
  const response = read()
  const ending = response?.isComplete === true ? undefined : client.ending()
  client.socket.destroy()
  return { request: message, response, ending }
}
