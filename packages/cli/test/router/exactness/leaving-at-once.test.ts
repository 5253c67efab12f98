import type { Test } from 'tap'
import { model } from '../support/config.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'
import { chat } from '../support/raw-client.ts'
import { dial, each, startWays, type Client, type Ways } from './support/ways.ts'
import type { Wire } from './support/wire.ts'

// The router's clock stands still in all of these: nothing but the end of the client's connection tells of it.

const LEAVINGS = ['ends', 'resets'] as const
const POST = chat('{"model":"a"}')
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'
const EVENT = '9\r\ndata: 1\n\n\r\n'
const MEBIBYTE = 1_048_576
/** Of the router's event loop; one or two suffice. */
const MOST_ROUNDS = 500
/** More than two systems hold between a router and a client that reads nothing. */
const LARGE = 16 * MEBIBYTE

interface Stage {
  readonly ways: Ways
  readonly client: Wire
  readonly leave: () => void
  /** The call is known to be over. */
  readonly isOver: () => Promise<void>
}

const isKnown = ({ rig }: Ways): boolean => rig.log.lines.some(({ fields }) => fields['status'] === 499)

/** Once for each kind of connection and each way to leave. */
const leaving = (name: string, play: (t: Test, stage: Stage) => Promise<void>): void => {
  for (const way of LEAVINGS) {
    each(`${name} (${way})`, async (t, how: Client) => {
      const ways = await startWays(t, {
        client: how,
        rig: {
          clock: createVirtualClock(),
          models: [model('a', { concurrencyLimit: 1 }), model('b')],
          load: ({ model: id }) => (id === 'b' ? new Promise(() => {}) : Promise.resolve(undefined)),
        },
      })
      const client = await dial(ways.ports.routed)
      t.teardown(() => void client.socket.destroy())
      await play(t, {
        ways,
        client,
        leave: () => (way === 'resets' ? client.reset() : client.socket.destroy()),
        isOver: async () => {
          for (let round = 0; round < MOST_ROUNDS && !isKnown(ways); round += 1) await ways.goRound()
          t.ok(isKnown(ways), 'it is known')
        },
      })
    })
  }
}

leaving('a client that leaves before the first byte of its answer', async (t, { ways, client, leave, isOver }) => {
  await client.send(POST)
  const { wire } = await ways.engine.arrival(0)
  leave()
  t.match(await wire.ended(), /closed|reset/)
  await isOver()
})

leaving('a client that leaves in the middle of a stream', async (t, { ways, client, leave, isOver }) => {
  await client.send(POST)
  const { wire } = await ways.engine.arrival(0)
  await wire.send(HEAD + EVENT)
  await client.until('the event', () => client.bytes().includes('data: 1'))
  leave()
  t.match(await wire.ended(), /closed|reset/)
  await isOver()
})

leaving('a client that leaves an answer of which it takes nothing', async (t, { ways, client, leave, isOver }) => {
  await client.send(POST)
  const { wire } = await ways.engine.arrival(0)
  client.socket.pause()
  await wire.send(`HTTP/1.1 200 OK\r\nContent-Length: ${10 * LARGE}\r\n\r\n`)
  // Until nobody takes any more: the write does not come back
  void wire.send(Buffer.alloc(LARGE))
  await ways.goRound()
  leave()
  t.match(await wire.ended(), /closed|reset/)
  await isOver()
})

leaving('a client that leaves in the middle of a small body', async (t, { ways, client, leave, isOver }) => {
  await client.send(POST.slice(0, -1))
  await ways.goRound()
  leave()
  await isOver()
  t.equal(ways.engine.wires.length, 0, 'no engine hears of it')
})

leaving('a client that leaves while it waits for a slot', async (t, { ways, client, leave, isOver }) => {
  const other = await dial(ways.ports.routed)
  t.teardown(() => void other.socket.destroy())
  await other.send(POST)
  const { wire } = await ways.engine.arrival(0)
  await client.send(POST)
  await ways.goRound()
  leave()
  await isOver()
  t.equal(ways.engine.wires.length, 1, 'no engine hears of it')
  t.equal(wire.ending(), undefined)
})

leaving('a client that leaves while its model loads', async (t, { ways, client, leave, isOver }) => {
  await client.send(chat('{"model":"b"}'))
  while (ways.rig.agent.swaps.length < 2) await ways.goRound()
  leave()
  await isOver()
  t.equal(ways.engine.wires.length, 0, 'no engine hears of it')
})
