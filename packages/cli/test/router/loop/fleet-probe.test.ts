import { epoch, hostId, modelId, type HostId } from '@lswap/core'
import type { Agent, ProcessView } from '@lswap/agent'
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
  const observed: object[] = []
  const queue = {
    post: (event: { readonly type: string; readonly observation?: { readonly type: string } }) => {
      seen.push(event.observation?.type ?? event.type)
      observed.push(event.observation ?? event)
    },
  } as unknown as EventQueue
  const fleet = joinFleet({ agents, clock, queue, memory: { ask: async () => {} }, log: recordingLog() })
  return { agents, clock, seen, observed, fleet }
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

const viewOf = (model: string, phase: ProcessView['phase']): ProcessView => ({
  model: modelId(model),
  phase,
  epoch: epoch(1),
  pid: 4_001,
  url: undefined,
  since: 0,
  memoryBytes: undefined,
  lastExit: undefined,
})

t.test('a host where a process comes or goes is asked again until it does not', async (t) => {
  let asked = 0
  const phases = ['stopping', 'starting', 'ready'] as const
  const { clock, seen, observed, fleet } = rigOf(async () => {
    asked += 1
    return [viewOf('a', phases[asked - 1] ?? 'stopped')]
  })
  await fleet.appear()
  await clock.advance(500)
  await clock.advance(60_000)
  t.same(seen, ['host-appeared', 'host-appeared', 'host-appeared'])
  t.match(observed, [
    { ready: [], changing: [{ model: 'a', epoch: 1 }] },
    { ready: [], changing: [{ model: 'a', epoch: 1 }] },
    { ready: [{ model: 'a' }], changing: [] },
  ])
  fleet.leave()
})

t.test('one that falls silent while a process goes there is lost', async (t) => {
  let asked = 0
  const { clock, seen, fleet } = rigOf(async () => {
    asked += 1
    if (asked === 2) throw new Error('no')
    return [viewOf('a', asked < 3 ? 'stopping' : 'stopped')]
  })
  await fleet.appear()
  await clock.advance(500)
  t.same(seen, ['host-appeared', 'host-vanished'])
  await clock.advance(60_000)
  t.same(seen, ['host-appeared', 'host-vanished', 'host-appeared'])
  fleet.leave()
})

t.test(
  'a process that its agent ends is passed on at once, and a list that is on its way is older than that',
  async (t) => {
    const lists = [viewOf('a', 'ready'), viewOf('a', 'stopping')]
    const answers: (() => void)[] = []
    const { agents, observed, clock, fleet } = rigOf(async () => {
      await new Promise<void>((resolve) => answers.push(resolve))
      return [lists.shift() ?? viewOf('a', 'stopped')]
    })
    const appeared = fleet.appear()
    const leaving = { type: 'process-leaving', placement: { host, model: modelId('a') }, epoch: epoch(1) } as const
    const fake = agents.get(host)
    if (fake === undefined || !('emit' in fake)) throw new Error('it is a double')
    ;(fake.emit as (event: object) => void)(leaving)
    t.same(observed, [leaving])
    answers.shift()?.()
    await clock.advance(1)
    t.equal(observed.length, 1, 'it is asked again')
    answers.shift()?.()
    await appeared
    t.match(observed[1], { type: 'host-appeared', ready: [], changing: [{ model: 'a' }] })
    fleet.leave()
  },
)

t.test('models that an agent starts from another definition are passed on', async (t) => {
  const { agents, observed, fleet } = rigOf()
  const fake = agents.get(host)
  if (fake === undefined || !('emit' in fake)) throw new Error('it is a double')
  ;(fake.emit as (event: object) => void)({ type: 'redefined', models: [modelId('a')] })
  t.same(observed, [{ type: 'redefined', host, models: ['a'] }])
  fleet.leave()
})

t.test('what a process was started as is passed on where that is known', async (t) => {
  const { observed, fleet } = rigOf(async () => [
    { ...viewOf('a', 'ready'), processHash: 'run a' },
    viewOf('b', 'ready'),
  ])
  await fleet.appear()
  t.same(observed[0], {
    type: 'host-appeared',
    host,
    ready: [
      { model: 'a', epoch: 1, processHash: 'run a' },
      { model: 'b', epoch: 1 },
    ],
    changing: [],
  })
  fleet.leave()
})
