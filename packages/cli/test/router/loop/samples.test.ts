import { epoch, hostId, modelId, type HostId } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import t from 'tap'
import { watchSamples } from '../../../src/router/loop/samples.ts'
import { createFakeAgent } from '../support/fake-agent.ts'
import { recordingLog } from '../support/log.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

type Measured = Awaited<ReturnType<NonNullable<Agent['metrics']>>>

const measured = (sampledAt: number): Measured => ({
  at: sampledAt,
  memory: null,
  devices: [],
  processes: [
    { model: 'a', epoch: 3, pid: 7, memoryBytes: null, deviceBytes: null, engine: { deferred: 2, kv: 0.5, sampledAt } },
    { model: 'b', epoch: 1, pid: 8, memoryBytes: null, deviceBytes: null, engine: null },
  ],
})

/** Two hosts; `answer` is what the first one measured. */
const rigOf = (answer: () => Promise<Measured>, isAlone = false) => {
  const [one, two] = [hostId('one'), hostId('two')]
  const agents = new Map<HostId, Agent>([[one, { ...createFakeAgent({ host: one }), metrics: answer }]])
  if (!isAlone) agents.set(two, createFakeAgent({ host: two }))
  const clock = createVirtualClock()
  const posted: unknown[] = []
  const samples = watchSamples({ agents, clock, queue: { post: (event) => posted.push(event) }, log: recordingLog() })
  /** The second one does not answer. */
  const silence = (): void => void Object.assign(agents.get(two) ?? {}, { metrics: () => new Promise(() => {}) })
  return { one, clock, posted, samples, silence }
}

t.test('each new sample of an engine is told once; an engine that tells nothing has none', async (t) => {
  let sampledAt = 100
  const { one, clock, posted, samples } = rigOf(async () => measured(sampledAt))
  await clock.advance(1_600)
  const observation = (at: number) => ({
    type: 'fleet-changed',
    observation: {
      type: 'sampled',
      placement: { model: modelId('a'), host: one },
      epoch: epoch(3),
      metrics: { deferred: 2, kv: 0.5, sampledAt: at },
    },
  })
  t.same(posted, [observation(100)])
  sampledAt = 200
  await clock.advance(600)
  t.same(posted, [observation(100), observation(200)])
  samples.stop()
  sampledAt = 300
  await clock.advance(5_000)
  t.equal(posted.length, 2, 'nothing after the end')
})

t.test('with one host nobody asks: there is no choice', async (t) => {
  let asked = 0
  const { clock, samples } = rigOf(async () => {
    asked += 1
    return undefined
  }, true)
  await clock.advance(5_000)
  t.equal(asked, 0)
  samples.stop()
})

t.test('a host that can not measure is asked again', async (t) => {
  let asked = 0
  const { clock, posted, samples } = rigOf(async () => {
    asked += 1
    if (asked < 3) throw new Error('no')
    return measured(5)
  })
  await clock.advance(3_000)
  t.equal(posted.length, 1)
  samples.stop()
})

t.test('a host that says nothing keeps no other from its turn', async (t) => {
  let asked = 0
  const { clock, samples, silence } = rigOf(async () => {
    asked += 1
    return undefined
  })
  silence()
  await clock.advance(10_000)
  t.ok(asked > 1, `asked ${asked} times`)
  samples.stop()
})
