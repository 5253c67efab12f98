import t, { type Test as Tap } from 'tap'
import { until } from '../support/ask.ts'
import { upload, type Leaving } from '../support/uploader.ts'
import { bodyFor, gate, LARGE, MIB, ownTemporaryFolder, passing, start } from './support.ts'

const LEAVINGS: readonly Leaving[] = ['ends', 'resets']

/** Once for each way to leave, and each kind of connection. */
const each = (name: string, play: (t: Tap, how: Leaving, secure: boolean) => Promise<void>): void => {
  for (const secure of [false, true]) {
    for (const how of LEAVINGS)
      void t.test(`${name} (${how}, ${secure ? 'TLS' : 'plain'})`, (t) => play(t, how, secure))
  }
}

t.beforeEach(ownTemporaryFolder)

each('a client that leaves while an engine takes nothing of its body', async (t, how, secure) => {
  const { clock, rig, send, gone } = await start(t, secure)
  const client = await send()
  await until('it is forwarded', () => rig.agent.forwards.length === 1)
  await client.hasSent(2 * MIB)
  // The one slot is taken
  const next = await send(bodyFor('a', 2 * MIB))
  await next.hasSent(2 * MIB)
  t.equal(rig.agent.forwards.length, 1)
  client.leave(how)
  await gone()
  t.equal(rig.agent.forwards[0]?.aborted, true)
  await passing(clock, 'its slot is free', () => rig.agent.forwards.length === 2)
})

each('a client that leaves after its whole body, of which an engine takes nothing', async (t, how, secure) => {
  const { clock, rig, send, inFiles, gone } = await start(t, secure)
  const client = await send(bodyFor('a', 20 * MIB))
  await passing(clock, 'all is sent', () => client.sent() === 20 * MIB)
  client.leave(how)
  await gone()
  t.equal(rig.agent.forwards[0]?.aborted, true)
  t.equal(await inFiles(), 0)
})

each('a client that leaves while an engine takes its body slowly', async (t, how, secure) => {
  let taken = 0
  const { clock, send, gone } = await start(t, secure, {
    answer: ({ request: { body } }) => {
      const take = (): void => {
        taken += (body.rest?.read() as Buffer | null)?.length ?? 0
        clock.setTimer(clock.now() + 250, take)
      }
      take()
    },
  })
  const client = await send()
  await client.hasSent(3 * MIB)
  client.leave(how)
  await gone()
  t.ok(taken < 2 * MIB, `it has taken ${taken} bytes`)
})

each('a client that leaves when its body has waited in a file and an engine takes nothing', async (t, how, secure) => {
  const { load, open } = gate()
  const { rig, send, inFiles, gone } = await start(t, secure, { load })
  const client = await send(LARGE.subarray(0, 16 * MIB), LARGE.length)
  await client.hasSent(16 * MIB)
  open()
  await until('it is forwarded', () => rig.agent.forwards.length === 1)
  client.leave(how)
  await gone()
  t.equal(rig.agent.forwards[0]?.aborted, true)
  t.equal(await inFiles(), 0)
})

each('a client that leaves while its large body waits for a slot', async (t, how, secure) => {
  const { clock, rig, send, ask, goneAtOnce } = await start(t, secure)
  await ask('POST', '/api/models/load/a')
  const first = await send(bodyFor('a', 2 * MIB))
  await until('it is forwarded', () => rig.agent.forwards.length === 1)
  const second = await send()
  await second.hasSent(8 * MIB)
  second.leave(how)
  await goneAtOnce()
  t.same([rig.agent.forwards.length, rig.agent.forwards[0]?.aborted], [1, false])
  first.leave(how)
  await passing(
    clock,
    'both are known',
    () => rig.log.lines.filter((line) => line.fields['status'] === 499).length === 2,
  )
})

each('a client that leaves while another model makes room for its own', async (t, how, secure) => {
  const { load } = gate()
  const { rig, send, ask, inFiles, goneAtOnce } = await start(t, secure, {
    load: async (order) => (order.model === 'a' ? load() : undefined),
  })
  await ask('POST', '/api/models/load/b')
  const client = await send()
  await until('the swap has begun', () => rig.agent.swaps.length === 2)
  await client.hasSent(8 * MIB)
  client.leave(how)
  await goneAtOnce()
  t.equal(rig.agent.forwards.length, 0)
  t.equal(await inFiles(), 0)
})

each('a client that leaves a load, with a body that nobody wants', async (t, how, secure) => {
  const { load } = gate()
  const { rig, goneAtOnce } = await start(t, secure, { load })
  const head = `POST /api/models/load/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${LARGE.length}\r\n\r\n`
  const client = await upload({ port: rig.port, secure, head, body: LARGE })
  t.teardown(() => client.socket.destroy())
  await until('the load has begun', () => rig.agent.swaps.length === 1)
  await client.hasSent(3 * MIB)
  client.leave(how)
  await goneAtOnce()
  t.pass('gone')
})
