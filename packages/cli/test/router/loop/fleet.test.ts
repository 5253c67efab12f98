import { createScheduler, epoch, hostId, LOCAL_HOST, modelId, schedulerOptions } from '@lswap/core'
import type { ProcessView } from '@lswap/agent'
import t from 'tap'
import type { Test } from 'tap'
import { createRunLoop } from '../../../src/router/loop.ts'
import { config, model } from '../support/config.ts'
import { createFakeAgent, type FakeAgent } from '../support/fake-agent.ts'
import { recordingLog } from '../support/log.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'
import { request, startLoop } from './rig.ts'

interface Rig extends Awaited<ReturnType<typeof startLoop>> {
  readonly agent: FakeAgent
  /** The agent says what runs there now; the router hears it when this is called. */
  readonly deliver: () => Promise<void>
  readonly asks: () => number
}

/** A host that is asked anew what runs there, and whose answer is on its way. */
const rigWithList = async (t: Test, running: readonly string[]): Promise<Rig> => {
  const fake = createFakeAgent({ host: LOCAL_HOST })
  for (const [at, name] of running.entries()) fake.running.set(modelId(name), epoch(at + 100))
  let asks = 0
  let send: (() => void) | undefined
  const processes = async (): Promise<readonly ProcessView[]> => {
    asks += 1
    const list = await fake.processes()
    if (asks === 2) await new Promise<void>((resolve) => (send = resolve))
    return list
  }
  const agent: FakeAgent = { ...fake, processes }
  const started = await startLoop(agent)
  const { clock, log } = started
  fake.emit({ type: 'host-returned' })
  await clock.advance(0)
  t.equal(asks, 2)
  const deliver = async (): Promise<void> => {
    send?.()
    await clock.advance(0)
    t.same(log.bugs(), [])
  }
  return { ...started, agent, deliver, asks: () => asks }
}

t.test('a model that became ready while a list without it was on its way gets no second process', async (t) => {
  const rig = await rigWithList(t, [])
  rig.ask(1, 'b')
  await rig.clock.advance(0)
  t.equal(rig.agent.swaps.length, 1)
  await rig.deliver()
  rig.ask(2, 'b')
  await rig.clock.advance(0)
  t.equal(rig.agent.swaps.length, 1, 'it is served by the one that runs')
  t.equal(rig.asks(), 3, 'the list was asked for again')
})

t.test('a model that was stopped while a list with it was on its way is not taken for running', async (t) => {
  const rig = await rigWithList(t, ['a'])
  const stopped = rig.loop.unload([modelId('a')], { drainMs: 0, force: false })
  await rig.clock.advance(0)
  await stopped
  await rig.deliver()
  rig.ask(1, 'a')
  await rig.clock.advance(0)
  t.equal(rig.agent.swaps.length, 1, 'it is loaded')
})

t.test('who ended on its own while a list with it was on its way is not taken for running', async (t) => {
  const rig = await rigWithList(t, ['a'])
  rig.agent.crash(modelId('a'))
  await rig.deliver()
  t.equal(rig.loop.view().hosts[0]?.up, true)
  t.equal(
    rig.loop
      .view()
      .models.get(modelId('a'))
      ?.placements.some(({ phase }) => phase === 'ready') ?? false,
    false,
  )
})

t.test('a host that was lost during a stop of several and is back before its end is not stuck for ever', async (t) => {
  const [left, right] = [hostId('left'), hostId('right')]
  let endRight: (() => void) | undefined
  const failure = { code: 'host_unreachable' as const, message: 'nothing was heard from it' }
  const there = createFakeAgent({
    host: left,
    stop: async ({ models }) =>
      models.map((id) => ({ placement: { host: left, model: id }, outcome: 'stuck', failure })),
  })
  const slow = createFakeAgent({
    host: right,
    stop: () => new Promise((resolve) => (endRight = () => resolve(undefined))),
  })
  there.running.set(modelId('a'), epoch(1))
  slow.running.set(modelId('b'), epoch(1))
  const clock = createVirtualClock()
  const loop = createRunLoop({
    scheduler: createScheduler(
      schedulerOptions(config([model('a', { hosts: [left] }), model('b', { hosts: [right] })])),
    ),
    agents: new Map([
      [left, there],
      [right, slow],
    ]),
    orderLimits: { swapMs: () => 10_000, stopMs: () => 60_000 },
    clock,
    log: recordingLog(),
  })
  await loop.start()
  const unloaded = loop.unload('all', { drainMs: 0, force: true })
  await clock.advance(0)
  there.emit({ type: 'host-lost', failure })
  there.running.clear()
  there.emit({ type: 'host-returned' })
  await clock.advance(0)
  endRight?.()
  await unloaded
  await clock.advance(0)
  t.same(
    loop.view().hosts.map(({ up }) => up),
    [true, true],
  )
  const told: string[] = []
  loop.submit(request(1), {
    granted: () => void told.push('granted'),
    rejected: () => void told.push('rejected'),
  })
  await clock.advance(0)
  t.same(told, ['granted'])
})

t.test('what a host was to stop when it was lost is out of reach, not stuck', async (t) => {
  const failure = { code: 'host_unreachable' as const, message: 'nothing was heard from it' }
  const agent = createFakeAgent({
    host: LOCAL_HOST,
    stop: async ({ models }) =>
      models.map((id) => ({ placement: { host: LOCAL_HOST, model: id }, outcome: 'stuck', failure })),
  })
  agent.running.set(modelId('a'), epoch(1))
  const clock = createVirtualClock()
  // No list comes: it is away
  const away: FakeAgent = {
    ...agent,
    processes: () => (agent.stops.length === 0 ? agent.processes() : new Promise(() => {})),
  }
  const loop = createRunLoop({
    scheduler: createScheduler(schedulerOptions(config([model('a')]))),
    agents: new Map([[LOCAL_HOST, away]]),
    orderLimits: { swapMs: () => 10_000, stopMs: () => 2_000 },
    clock,
    log: recordingLog(),
  })
  await loop.start()
  await loop.unload('all', { drainMs: 0, force: true })
  await clock.advance(0)
  const { hosts, models } = loop.view()
  t.match(hosts, [{ up: false }])
  t.match(models.get(modelId('a'))?.placements, [{ phase: 'stopped' }])
})
