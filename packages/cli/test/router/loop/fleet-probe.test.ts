import { hostId, type HostId } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import t from 'tap'
import { joinFleet } from '../../../src/router/loop/fleet.ts'
import type { EventQueue } from '../../../src/router/loop/event-queue.ts'
import { createFakeAgent } from '../support/fake-agent.ts'
import { recordingLog } from '../support/log.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

const host = hostId('one')

const rigOf = (processes?: Agent['processes']) => {
  const fake = createFakeAgent({ host })
  const agent: Agent = { ...fake, ...(processes === undefined ? {} : { processes }) }
  const agents = new Map<HostId, Agent>([[host, agent]])
  const clock = createVirtualClock()
  const seen: string[] = []
  const queue = {
    post: (event: { readonly type: string; readonly observation?: { readonly type: string } }) =>
      void seen.push(event.observation?.type ?? event.type),
  } as unknown as EventQueue
  const fleet = joinFleet({ agents, clock, queue, memory: { ask: async () => {} }, log: recordingLog() })
  return { agents, clock, seen, fleet }
}

t.test('a host that could not say what it runs is asked again, lost once, and back when it answers', async (t) => {
  let asked = 0
  const { clock, seen, fleet } = rigOf(async () => {
    asked += 1
    if (asked < 4) throw new Error('no')
    return []
  })
  await fleet.appear()
  t.same(seen, ['host-vanished'])
  await clock.advance(500)
  await clock.advance(1_000)
  t.same([asked, seen.length], [3, 1], 'after half a second, then twice that')
  await clock.advance(2_000)
  t.same(seen, ['host-vanished', 'host-appeared'])
  await clock.advance(60_000)
  t.equal(asked, 4, 'and not any more')
  fleet.leave()
})

t.test(
  'agents that come are asked, those that go are forgotten, and one in the place of another begins anew',
  async (t) => {
    const { agents, clock, seen, fleet } = rigOf()
    await fleet.appear()
    agents.set(hostId('two'), createFakeAgent({ host: hostId('two') }))
    fleet.agentsChanged()
    await clock.advance(1)
    t.same(seen, ['host-appeared', 'host-appeared'])
    agents.set(host, createFakeAgent({ host }))
    fleet.agentsChanged()
    await clock.advance(1)
    t.same(seen.slice(2), ['host-vanished', 'host-appeared'])
    agents.delete(hostId('two'))
    fleet.agentsChanged()
    fleet.agentsChanged()
    t.same(seen.slice(4), ['host-removed'])
    fleet.leave()
  },
)
