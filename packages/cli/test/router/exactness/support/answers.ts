import { readMessage, type Message } from './message.ts'
import type { Ways } from './ways.ts'
import type { Wire } from './wire.ts'

/** Resolves once so many answers are complete. */
export const whole = async (client: Wire, count: number): Promise<void> =>
  client.until(`${count} answers`, () => answersOf(client).length >= count)

/** The complete answers that a client has. */
export const answersOf = (client: Wire): Message[] => {
  const found: Message[] = []
  let rest = client.bytes()
  for (;;) {
    const message = readMessage(rest, 'POST')
    if (message === undefined || !message.isComplete) return found
    found.push(message)
    rest = rest.subarray(message.end)
  }
}

/** Without which the test can not go on. */
export const there = (message: Message | undefined): Message => {
  if (message === undefined) throw new Error('a message did not come')
  return message
}

/** Plays the same on both ways, and gives back both results. */
export const both = async <Result>(
  ways: Ways,
  play: (port: number) => Promise<Result>,
): Promise<Record<keyof Ways['ports'], Result>> => ({
  direct: await play(ways.ports.direct),
  routed: await play(ways.ports.routed),
})
