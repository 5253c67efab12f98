import { epoch, LOCAL_HOST, modelId, requestId, type SwapResult } from '@lswap/core'
import type { ProcessView } from '@lswap/agent'
import t from 'tap'
import { createFakeAgent, type FakeAgent } from '../support/fake-agent.ts'
import { startLoop } from './rig.ts'

t.test('who waits for a host whose agent is silent is told so, and is served when it is back', async (t) => {
  let answer: ((result: SwapResult | undefined) => void) | undefined
  const agent = createFakeAgent({ host: LOCAL_HOST, load: () => new Promise((resolve) => (answer = resolve)) })
  agent.running.set(modelId('a'), epoch(9))
  const { clock, log, loop, ask, told } = await startLoop(agent)
  ask(1, 'b')
  await clock.advance(12_000)
  t.equal(loop.explain(requestId(1))?.cause?.type, 'no-host')
  t.equal(loop.view().hosts[0]?.up, false)
  ask(2, 'a')
  t.equal(agent.swaps.length, 1, 'nothing is ordered from it')
  answer?.(undefined)
  await clock.advance(0)
  t.same(told, ['b granted'])
  t.equal(loop.view().hosts[0]?.up, true)
  t.equal(loop.explain(requestId(2))?.cause?.type, 'draining', 'what the swap had to end is gone')
  t.same(log.bugs(), [])
})

t.test('an order that an agent never answers takes the host away only until it says what runs there', async (t) => {
  const fake = createFakeAgent({
    host: LOCAL_HOST,
    load: ({ model: id }) => (id === modelId('b') ? new Promise(() => {}) : Promise.resolve(undefined)),
  })
  const starting: ProcessView = {
    model: modelId('b'),
    phase: 'starting',
    epoch: epoch(99),
    pid: 4_099,
    url: undefined,
    since: 0,
    memoryBytes: undefined,
    lastExit: undefined,
  }
  const agent: FakeAgent = {
    ...fake,
    processes: async () => [
      ...(await fake.processes()),
      ...(fake.swaps.length > 0 && fake.running.size === 0 ? [starting] : []),
    ],
  }
  const { clock, log, loop, ask, told } = await startLoop(agent)
  ask(1, 'b')
  await clock.advance(12_000)
  t.equal(loop.view().hosts[0]?.up, false)
  loop.cancel(requestId(1))
  await clock.advance(500)
  t.equal(loop.view().hosts[0]?.up, true)
  ask(2, 'a')
  await clock.advance(0)
  t.same(told, ['a granted'])
  t.match(fake.swaps.at(-1), { model: 'a', evict: ['b'] }, 'and what the order left there is no neighbour')
  ask(3, 'b')
  t.same(told, ['a granted', 'b rejected'], 'what it swallowed is not ordered again at once')
  t.same(log.bugs(), [])
})
