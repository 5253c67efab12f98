import { hostId, LOCAL_HOST, modelId, type Config, type HostId } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import t from 'tap'
import { PLAIN_HOSTS } from '../../../src/router/fleet/hosts.ts'
import { createInForce, type InForce, type InForceOptions } from '../../../src/router/reload/in-force.ts'
import { config, model } from '../support/config.ts'
import { createFakeAgent } from '../support/fake-agent.ts'
import { access, key } from '../support/keys.ts'
import { recordingLog } from '../support/log.ts'

const FAR = hostId('far')
const far = { id: FAR, url: 'http://127.0.0.1:1', token: 'token-of-far' }

/** The owner without those that it tells: what it tells them is kept, in order. */
const rig = (first: Config, options: Partial<InForceOptions> = {}) => {
  const told: unknown[] = []
  const log = recordingLog()
  const state = { isClosing: false }
  const agents = new Map<HostId, Agent>([LOCAL_HOST, FAR].map((host) => [host, createFakeAgent({ host })] as const))
  const inForce: InForce = createInForce({
    config: first,
    agents,
    hosts: PLAIN_HOSTS,
    lasting: {} as InForceOptions['lasting'],
    limits: {},
    log,
    loop: {
      view: () => ({ hosts: [], models: new Map() }),
      reconfigure: () => void told.push('reconfigure'),
      agentsChanged: () => void told.push('agents'),
    },
    listeners: { checkExposure: (hasKeys) => void told.push(['exposure', hasKeys]) },
    leaving: { set: (...set) => void told.push(['leaving', ...set]), look: () => void told.push('look') },
    isClosing: () => state.isClosing,
    ...options,
  })
  return { inForce, told, log, state, takeOver: (next: Config) => inForce.takeOver(next, () => told.push('tell')) }
}

t.test('all are told of another configuration in one go, after it was found to be good', async (t) => {
  const { inForce, told, takeOver } = rig(config([model('a')]))
  const next = config([model('b')], { access: access({ keys: [key('k')] }) })
  takeOver(next)
  t.same(told, [['exposure', true], 'tell', 'reconfigure', 'agents', ['leaving', [FAR], 610_000], 'look'])
  t.equal(inForce.config(), next)
  t.same(
    inForce.context().catalog.models.map(({ id }) => id),
    ['b'],
  )
})

t.test('one that can not be taken over changes nothing, and nobody is told', async (t) => {
  const first = config([model('a')])
  const { inForce, told, takeOver } = rig(first, {
    listeners: {
      checkExposure: () => {
        throw new Error('open to all')
      },
    },
  })
  const before = inForce.context()
  t.throws(() => takeOver(config([model('b')])), { message: 'open to all' })
  t.equal(inForce.context(), before)
  t.equal(inForce.config(), first)
  t.same(told, [])
})

t.test('while the router closes none is taken over, and models stay where they are', async (t) => {
  const { inForce, told, state, takeOver } = rig(config([model('a')]))
  state.isClosing = true
  t.throws(() => takeOver(config([])), { code: 'shutting_down' })
  inForce.placeAgain()
  t.same(told, [])
})

t.test('hosts that leave have the time of a drain and a stop; this machine never leaves', async (t) => {
  const { told, takeOver } = rig(config([model('a')], { agents: [far] }))
  const leaving = () => told.findLast((one) => Array.isArray(one) && one[0] === 'leaving')
  const limits = { ...config([]).limits, drainTimeoutMs: 5_000 }
  takeOver(config([model('a', { unloadTimeoutMs: 7_000 })], { limits, agents: [far] }))
  t.same(leaving(), ['leaving', [], 12_000])
  takeOver(config([], { limits }))
  t.same(leaving(), ['leaving', [FAR], 5_000])
  takeOver(config([], { limits: { ...limits, drainTimeoutMs: 'never' } }))
  t.same(leaving(), ['leaving', [FAR], Infinity])
})

t.test('a stop may take as long as any configuration let it: what is gone may still be stopping', async (t) => {
  const { inForce, takeOver } = rig(config([model('a', { unloadTimeoutMs: 9_000 })]))
  takeOver(config([model('b', { unloadTimeoutMs: 3_000 })]))
  t.equal(inForce.longestUnloadMs(), 9_000)
  takeOver(config([model('b', { unloadTimeoutMs: 30_000 })]))
  t.equal(inForce.longestUnloadMs(), 30_000)
})

t.test('a model that no host has is told, at the start and whenever it is so', async (t) => {
  const hosts = { models: () => [modelId('b')], failure: () => undefined }
  const { inForce, log } = rig(config([model('a'), model('b')]), { hosts })
  const lines = () => log.lines.map(({ level, fields }) => [level, fields['models']])
  t.same(lines(), [])
  t.same(inForce.context().catalog.find('a')?.hosts, [])
  inForce.warnOfUnplaced()
  t.same(lines(), [['warn', ['a']]])
  inForce.placeAgain()
  t.same(lines(), [
    ['warn', ['a']],
    ['warn', ['a']],
  ])
  t.same(inForce.context().catalog.find('a')?.hosts, [])
  t.same(inForce.config().models[0]?.hosts, [LOCAL_HOST], 'as it was read')
})
