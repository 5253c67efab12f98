import { hostId, type Failure } from '@lswap/core'
import type { AgentMetrics, FeedState } from '@lswap/core/protocol'
import { feedState } from '@lswap/core/test-support'
import t from 'tap'
import { hostStates, STALE_MS } from '../../../src/router/feed/host-states.ts'
import { steady } from '../../../src/router/feed/steady.ts'
import { shownHosts } from '../../../src/router/own/hosts.ts'

const GIB = 2 ** 30
const box = hostId('box')

const measured = (sampledAt: number, usedGib = 10, use = 0.5): ReadonlyMap<string, AgentMetrics> => {
  const device = {
    name: 'gpu0',
    label: 'Some GPU',
    source: 'nvidia',
    totalBytes: 24 * GIB,
    usedBytes: usedGib * GIB,
    use,
    temperatureC: 61,
    powerWatts: 250,
    roomBytes: 20 * GIB,
    othersBytes: 4 * GIB,
    sampledAt,
  }
  return new Map([['box', { at: sampledAt, memory: null, devices: [device], processes: [] }]])
}

const facts = (failure?: Failure, version = '1.0.0') => ({
  models: () => undefined,
  failure: () => failure,
  details: () => ({ url: 'http://box:8078', since: 5, version, engines: [] }),
})
const upIs = (up: boolean) => ({ hosts: [{ host: box, up }] })

const stateOf = (usedGib: number, use: number): FeedState =>
  feedState({
    hosts: hostStates({ view: upIs(true), facts: facts(), measured: measured(100, usedGib, use), now: 100 }),
  })

t.test('devices are told as they were read, and as old when that is long ago or the host is lost', async (t) => {
  const at = (now: number, up = true) => hostStates({ view: upIs(up), facts: facts(), measured: measured(100), now })
  t.match(at(100), [
    { host: 'box', up: true, devices: [{ name: 'gpu0', usedBytes: 10 * GIB, use: 0.5, isStale: false }] },
  ])
  t.match(at(100 + STALE_MS + 1), [{ devices: [{ isStale: true }] }])
  t.match(at(100, false), [{ devices: [{ isStale: true }] }])
  t.same(hostStates({ view: upIs(true), facts: facts(), now: 1 })[0]?.devices, [])
})

t.test('figures that tremble are told once; a device that comes to rest is told', async (t) => {
  const told = stateOf(10, 0.5)
  t.same(steady(told, stateOf(10.1, 0.52), 0).hosts, told.hosts)
  t.match(steady(told, stateOf(11, 0.6), 0).hosts, [{ devices: [{ usedBytes: 11 * GIB, use: 0.6 }] }])
  t.match(steady(stateOf(10, 0.03), stateOf(10, 0), 0).hosts, [{ devices: [{ use: 0 }] }])
})

t.test('what is wrong with a host is said in full: lost, old readings, another version', async (t) => {
  const failure: Failure = { code: 'host_unreachable', message: 'it refuses connections', hint: 'Start it.' }
  const shown = (up: boolean, now: number, version = '1.0.0') =>
    shownHosts({ view: upIs(up), facts: facts(failure, version), measured: measured(100), now, version: '1.0.0' })
  t.match(shown(true, 100), [
    { host: 'box', up: true, since: 5, failure: null, problems: [], devices: [{ temperatureC: 61 }] },
  ])
  t.match(shown(false, 100), [
    {
      up: false,
      failure: { code: 'host_unreachable' },
      problems: [{ message: 'it refuses connections', hint: 'Start it.' }],
    },
  ])
  t.match(shown(true, 60_100), [
    { problems: [{ code: 'stale_metrics', message: 'what is known of gpu0 is 60 s old' }] },
  ])
  t.match(shown(true, 100, '0.9.0'), [{ problems: [{ code: 'version_differs', message: /0\.9\.0.*1\.0\.0/ }] }])
})
