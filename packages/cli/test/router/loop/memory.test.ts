import { hostId, type HostId, type MemoryReport } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import t from 'tap'
import { watchMemory } from '../../../src/router/loop/memory.ts'
import { createFakeAgent, type FakeAgent } from '../support/fake-agent.ts'
import { recordingLog } from '../support/log.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

const MIB = 1_048_576
const host = hostId('one')

const report = (roomMib: number, bytes = 5): MemoryReport => ({
  room: { gpu0: roomMib * MIB },
  others: {},
  sizes: [{ model: 'a', bytes, source: 'measured' }],
})

const rigOf = (answer: () => Promise<MemoryReport | undefined>, isUsed = true) => {
  const fake: FakeAgent = { ...createFakeAgent({ host }), memory: answer }
  const agents = new Map<HostId, Agent>([[host, fake]])
  const clock = createVirtualClock()
  const posted: unknown[] = []
  const queue = { post: (event: unknown) => void posted.push(event) }
  const watch = watchMemory({ agents, clock, queue, log: recordingLog(), isUsed: () => isUsed })
  const rooms = () => posted.map((event) => (event as Told).observation.memory.room['gpu0'])
  return { fake, clock, posted, rooms, watch }
}

interface Told {
  readonly observation: { readonly memory: MemoryReport }
}

t.test('it is told when it says something else, and trembling is nothing else', async (t) => {
  let now = report(1_000)
  const { fake, clock, posted, rooms, watch } = rigOf(async () => now)
  await watch.ask(fake)
  t.match(posted, [{ type: 'fleet-changed', observation: { type: 'memory-seen', host, memory: now } }])
  now = report(1_040)
  await clock.advance(3_000)
  t.equal(posted.length, 1)
  now = report(1_100)
  await clock.advance(1_000)
  t.same(rooms(), [1_000 * MIB, 1_100 * MIB])
  now = report(1_100, 6)
  await clock.advance(1_000)
  t.equal(posted.length, 3, 'another size')
  watch.stop()
  now = report(9_000)
  await clock.advance(5_000)
  t.equal(posted.length, 3, 'nothing after the end')
})

t.test('where memory decides nothing nobody asks', async (t) => {
  let asked = 0
  const { fake, clock, watch } = rigOf(async () => {
    asked += 1
    return undefined
  }, false)
  await watch.ask(fake)
  await clock.advance(5_000)
  t.equal(asked, 0)
  watch.stop()
})

t.test('an agent that can not tell, or does not answer, is asked again and stops nothing', async (t) => {
  let asked = 0
  const { clock, posted, watch } = rigOf(async () => {
    asked += 1
    if (asked === 1) throw new Error('no')
    return asked === 2 ? new Promise(() => {}) : report(1_000)
  })
  await clock.advance(10_000)
  t.equal(posted.length, 1)
  watch.stop()
})

t.test('a host that left and is back is told of anew: the scheduler forgot it', async (t) => {
  const { fake, posted, watch } = rigOf(async () => report(1_000))
  await watch.ask(fake)
  await watch.ask(fake)
  t.equal(posted.length, 1)
  await watch.ask({ ...createFakeAgent({ host }), memory: async () => report(1_000) })
  t.equal(posted.length, 2)
  watch.stop()
})
