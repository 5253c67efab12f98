import t from 'tap'
import { feedStateOf } from '../../../src/top/agents/feed-state.ts'
import { afterHeard, startView, type AgentHeard, type AgentsView } from '../../../src/top/agents/view.ts'
import { eventRows } from '../../../src/top/panel/events.ts'
import { exited, gpuIn, lookOf, processIn } from '../support/looks.ts'

const seen = (host: string, look: ReturnType<typeof lookOf>): AgentHeard => ({
  type: 'looked',
  host,
  at: look.at,
  look,
})
const lost = (host: string): AgentHeard => ({
  type: 'lost',
  host,
  at: 9_000,
  failure: { code: 'host_unreachable', message: 'it refuses connections' },
})
const viewOf = (...heard: readonly AgentHeard[]): AgentsView => heard.reduce(afterHeard, startView(['one', 'two']))
const told = (view: AgentsView): readonly string[] => eventRows(feedStateOf(view)).map(({ text }) => text)

t.test('a load and its end are told as those of a router', (t) => {
  const view = viewOf(
    seen('one', lookOf([processIn('tiny', 'stopped')])),
    seen('one', lookOf([processIn('tiny', 'starting', { since: 2_000 })])),
    seen('one', lookOf([processIn('tiny', 'ready', { since: 5_000 })])),
    seen('one', lookOf([processIn('tiny', 'stopping', { since: 6_000 })])),
    seen('one', lookOf([processIn('tiny', 'stopped', { since: 7_000, lastExit: exited('stopped as asked') })])),
  )
  t.same(told(view), ['tiny: stopped on one', 'tiny: ready on one after 3.0 s', 'tiny: loading on one'])
  t.end()
})

t.test('a load that fails and an engine that crashes are told with their reason', (t) => {
  const broken = viewOf(
    seen('one', lookOf([processIn('tiny', 'starting')])),
    seen('one', lookOf([processIn('tiny', 'stopped', { lastExit: exited('exited with code 1', 'no such file') })])),
  )
  t.match(told(broken)[0], 'tiny: load failed: exited with code 1')
  t.match(feedStateOf(broken).models[0]?.placements[0]?.failure?.message, /exited with code 1\nno such file/)
  const crashed = viewOf(
    seen('one', lookOf([processIn('tiny', 'ready')])),
    seen('one', lookOf([processIn('tiny', 'stopped', { lastExit: exited('was ended by SIGSEGV') })])),
  )
  t.match(told(crashed)[0], 'error: tiny: was ended by SIGSEGV')
  t.end()
})

t.test('what happened before somebody looked is no news', (t) => {
  t.same(told(viewOf(seen('one', lookOf([processIn('tiny', 'ready')])))), [])
  t.end()
})

t.test('of an agent that is lost what was told last stays, as old, and its models are unknown', (t) => {
  const look = lookOf([processIn('tiny', 'ready')], { devices: [gpuIn()] })
  const state = feedStateOf(viewOf(seen('one', look), seen('two', lookOf([processIn('tiny', 'ready')])), lost('one')))
  t.match(state.hosts, [
    { host: 'one', up: false, devices: [{ name: 'gpu0', usedBytes: 18 * 2 ** 30, isStale: true }] },
    { host: 'two', up: true },
  ])
  t.equal(state.models[0]?.state, 'ready')
  t.match(state.models[0]?.placements, [
    { host: 'one', state: 'unknown' },
    { host: 'two', state: 'ready' },
  ])
  t.match(told(viewOf(seen('one', look), lost('one'), lost('one'))), ['warning: one: it refuses connections'])
  t.match(told(viewOf(seen('one', look), lost('one'), seen('one', look)))[1], 'one: answers again')
  t.end()
})

const staleAt = (sampledAt: number): unknown =>
  feedStateOf(viewOf(seen('one', lookOf([], { at: 60_000, devices: [gpuIn({ sampledAt })] })))).hosts[0]?.devices[0]
    ?.isStale

t.test('a device that was not read for long is old though its agent answers', (t) => {
  t.equal(staleAt(55_000), false)
  t.equal(staleAt(49_000), true)
  t.end()
})

t.test('lists of what happened are bounded', (t) => {
  let view = startView(['one'])
  for (let at = 0; at < 500; at += 1) {
    view = afterHeard(view, seen('one', lookOf([processIn('tiny', 'starting', { epoch: at, since: at })])))
    view = afterHeard(view, seen('one', lookOf([processIn('tiny', 'ready', { epoch: at, since: at })])))
    view = afterHeard(view, seen('one', lookOf([processIn('tiny', 'stopped', { since: at })])))
  }
  t.equal(view.swaps.length, 50)
  t.equal(view.notices.length, 100)
  t.end()
})
