import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Epoch, SwapResult } from '@lswap/core'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { anyFreePort } from '../../src/process/listening.ts'
import { readJournal } from '../process/support/journal.ts'
import { fakeCommand, model, scriptCommand } from '../process/support/models.ts'
import { runs, until } from '../process/support/poll.ts'
import { HOST, agentOf, reached } from './support/agents.ts'
import { chat } from './support/exchange.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const epochIn = (result: SwapResult): Epoch => {
  if (result.outcome !== 'ready') throw new Error(`the swap was to end ready: ${JSON.stringify(result)}`)
  return result.epoch
}

t.test('swaps: the old model goes, the new one comes and answers', async (t) => {
  const [a, b] = [model('a', { cmd: fakeCommand('--load-ms 20') }), model('b', { cmd: fakeCommand('--parallel 2') })]
  const { agent, order } = await agentOf(t, [a, b])
  const first = epochIn(await agent.swap(order(a)))
  const steps: string[] = []
  const result = await agent.swap(order(b, [a]), ({ type }) => steps.push(type))
  t.match(result, { outcome: 'ready', slots: 2, evictions: [{ model: 'a', outcome: 'stopped' }] })
  t.ok(result.timings.stopMs > 0 && result.timings.loadMs > 0)
  t.same(steps, ['stopping', 'spawned', 'loading'])
  t.match(await chat(agent, b, epochIn(result)).over, { status: 200, body: /choices/ })
  t.match(await chat(agent, a, first).over, { answered: false, failure: { code: 'upstream_unreachable' } })
  const views = await agent.processes()
  t.match(views, [
    { model: 'a', phase: 'stopped', lastExit: { reason: 'stopped as asked' } },
    { model: 'b', phase: 'ready', epoch: epochIn(result) },
  ])
  if (process.platform === 'linux') t.ok((views[1]?.memoryBytes ?? 0) > 1_000_000)
  t.match(await agent.logs(b.id, 1), [String])
})

t.test('a model that is ready stays as it is', async (t) => {
  const a = model('a')
  const { agent, order } = await agentOf(t, [a])
  const epoch = epochIn(await agent.swap(order(a)))
  t.equal(epochIn(await agent.swap(order(a))), epoch)
})

t.test('an order that comes twice runs once', async (t) => {
  const a = model('a')
  const { agent, order, next } = await agentOf(t, [a])
  const swap = order(a)
  const [first, second] = await Promise.all([agent.swap(swap), agent.swap(swap)])
  t.equal(first, second)
  const stop = { generation: next(), models: [a.id], drainMs: 0 }
  await agent.stop(stop)
  epochIn(await agent.swap(order(a)))
  t.match(await agent.stop(stop), [{ outcome: 'stopped' }])
  t.match(await agent.processes(), [{ phase: 'ready' }])
})

t.test('nothing is stopped for a model that can not be started', async (t) => {
  const [a, fixed] = [model('a'), model('fixed', { cmd: fakeCommand(`--port ${process.pid}`) })]
  const broken = model('broken', { cmd: '/nowhere/engine' })
  const { agent, order } = await agentOf(t, [a, broken, fixed])
  epochIn(await agent.swap(order(a)))
  const result = await agent.swap(order(broken, [a, fixed]))
  t.match(result, { outcome: 'failed', failure: { code: 'start_failed', message: /nowhere/ } })
  t.same(result.evictions, [
    { model: 'a', outcome: 'kept' },
    { model: 'fixed', outcome: 'stopped' },
  ])
  t.match((await agent.processes())[0], { phase: 'ready' })
})

t.test('a port that a stranger holds is known before anything stops, one that goes is no obstacle', async (t) => {
  const port = (await anyFreePort()) ?? 0
  const other = (await anyFreePort()) ?? 0
  const a = model('a', { cmd: fakeCommand(`--port ${port}`) })
  const b = model('b', { cmd: fakeCommand(`--port ${port}`) })
  const c = model('c', { cmd: fakeCommand(`--port ${other}`) })
  const { agent, order } = await agentOf(t, [a, b, c])
  epochIn(await agent.swap(order(a)))
  epochIn(await agent.swap(order(c)))
  const blocked = await agent.swap(order(b, [c]))
  t.match(blocked, { outcome: 'failed', failure: { code: 'port_in_use' }, evictions: [{ outcome: 'kept' }] })
  epochIn(await agent.swap(order(b, [a])))
  t.match(await agent.processes(), [{ phase: 'stopped' }, { phase: 'ready' }, { phase: 'ready' }])
})

t.test('a model that is not here is an answer, not a crash', async (t) => {
  const a = model('a')
  const { agent, next } = await agentOf(t, [a])
  const stranger = model('stranger')
  const order = { generation: next(), model: stranger.id, host: HOST, evict: [a.id] }
  t.match(await agent.swap(order), {
    outcome: 'failed',
    failure: { code: 'model_not_found' },
    evictions: [{ outcome: 'stopped' }],
  })
  t.match(await agent.stop({ generation: next(), models: [stranger.id], drainMs: 0 }), [{ outcome: 'stopped' }])
  t.same(await agent.logs(stranger.id, 9), [])
})

t.test('a load that is aborted is killed at once', async (t) => {
  const a = model('a', { cmd: fakeCommand('--load-ms 60000 --ignore-sigterm') })
  const { agent, order } = await agentOf(t, [a])
  const swap = order(a)
  const { there, onProgress } = reached('loading')
  const result = agent.swap(swap, onProgress)
  await there
  const [view] = await agent.processes()
  agent.abort(swap.generation)
  agent.abort(swap.generation)
  t.match(await result, { outcome: 'aborted', evictions: [] })
  t.notOk(await runs(view?.pid ?? 0))
})

t.test('an abort that comes too late leaves it ready', async (t) => {
  const a = model('a')
  const { agent, order } = await agentOf(t, [a])
  epochIn(await agent.swap(order(a)))
  const again = order(a)
  const result = agent.swap(again)
  agent.abort(again.generation)
  t.match(await result, { outcome: 'ready' })
})

t.test('a stop cancels the loads before it, not those after it', async (t) => {
  const a = model('a', { cmd: fakeCommand('--load-ms 300') })
  const { agent, order, next } = await agentOf(t, [a])
  const early = order(a)
  const { there, onProgress } = reached('spawned')
  const cancelled = agent.swap(early, onProgress)
  await there
  const late = order(a)
  const stop = { generation: next(), models: [a.id], drainMs: 0 }
  const stopped = agent.stop(stop)
  const after = agent.swap(order(a))
  t.match(await agent.swap(late), { outcome: 'aborted' }, 'it was given before the stop and came after it')
  t.match(await cancelled, { outcome: 'aborted' })
  t.match(await stopped, [{ placement: { host: 'local', model: 'a' }, outcome: 'stopped' }])
  t.match(await after, { outcome: 'ready' })
})

t.test('a stop lets running answers end within its limit, and cuts them then', async (t) => {
  const a = model('a', { cmd: fakeCommand('--tokens 20 --tps 100') })
  const { agent, order, next } = await agentOf(t, [a])
  const patient = chat(agent, a, epochIn(await agent.swap(order(a))), { stream: true })
  await patient.begun
  t.match(await agent.stop({ generation: next(), models: [a.id], drainMs: 30_000 }), [{ outcome: 'stopped' }])
  t.match(await patient.over, { status: 200, body: /\[DONE\]/ })
  const cut = chat(agent, a, epochIn(await agent.swap(order(a))), { stream: true })
  await cut.begun
  t.match(await agent.stop({ generation: next(), models: [a.id], drainMs: 0 }), [{ outcome: 'stopped' }])
  t.match(await cut.over, { answered: true, failure: { code: 'unloaded' } })
})

t.test('an evicted model’s requests are told so, and its engine is not waited for', async (t) => {
  const journal = join(scratch(t), 'journal')
  const a = model('a', { cmd: fakeCommand(`--tokens 1000 --tps 10 --journal ${journal}`) })
  const b = model('b')
  const { agent, order } = await agentOf(t, [a, b], scratch(t))
  const cut = chat(agent, a, epochIn(await agent.swap(order(a))), { stream: true })
  await cut.begun
  epochIn(await agent.swap(order(b, [a])))
  t.match(await cut.over, { answered: true, failure: { code: 'evicted' } })
  t.match((await agent.processes())[0], { lastExit: { code: 0 } }, 'a second signal would have made it 1')
})

t.test('a crash is told before the requests that it broke', async (t) => {
  const a = model('a', { cmd: fakeCommand('--tokens 50 --tps 100 --crash-after-tokens 3 --exit-code 5') })
  const { agent, order, events } = await agentOf(t, [a])
  const epoch = epochIn(await agent.swap(order(a)))
  const broken = chat(agent, a, epoch, { stream: true })
  const seen = await broken.over.then((failed) => ({ failed, before: [...events] }))
  t.match(seen.failed, { answered: true, failure: { code: 'upstream_died', message: /exited with code 5/ } })
  t.match(seen.before, [
    { type: 'process-exited', placement: { model: 'a' }, epoch, failure: { code: 'upstream_died' } },
  ])
  const next = epochIn(await agent.swap(order(a)))
  t.ok(next > epoch)
})

t.test('a client that leaves hears nothing more', async (t) => {
  const a = model('a', { cmd: fakeCommand('--tokens 1000 --tps 50') })
  const { agent, order, next } = await agentOf(t, [a])
  const epoch = epochIn(await agent.swap(order(a)))
  const gone = chat(agent, a, epoch, { stream: true })
  await gone.begun
  gone.forwarding.abort()
  const late = chat(agent, a, (epoch + 1) as Epoch)
  late.forwarding.abort()
  // Would wait a minute for a request that still runs.
  t.match(await agent.stop({ generation: next(), models: [a.id], drainMs: 60_000 }), [{ outcome: 'stopped' }])
  const silence = await Promise.race([gone.over, late.over, new Promise((resolve) => setImmediate(resolve))])
  t.equal(silence, undefined)
})

t.test('close stops everything, also what loads, and lets nothing start', async (t) => {
  const journal = join(scratch(t), 'journal')
  const [a, b] = [
    model('a', { cmd: fakeCommand(`--journal ${journal}`) }),
    model('b', { cmd: fakeCommand('--load-ms 60000') }),
  ]
  const { agent, order } = await agentOf(t, [a, b], scratch(t))
  epochIn(await agent.swap(order(a)))
  const { there, onProgress } = reached('loading')
  const loading = agent.swap(order(b), onProgress)
  await there
  const pids = (await agent.processes()).map(({ pid }) => pid ?? 0)
  await Promise.all([agent.close(), agent.close()])
  t.match(await loading, { outcome: 'aborted' })
  t.same(await Promise.all(pids.map(runs)), [false, false])
  t.match(readJournal(journal).at(-1), { event: 'exit', code: 0 })
  t.match(await agent.swap(order(a)), { outcome: 'failed', failure: { code: 'shutting_down' } })
})

t.test('destroy kills, also during a close that takes its time', async (t) => {
  const a = model('a', { cmd: fakeCommand('--ignore-sigterm'), unloadTimeoutMs: 60_000 })
  const { agent, order } = await agentOf(t, [a])
  epochIn(await agent.swap(order(a)))
  const [view] = await agent.processes()
  const closed = agent.close()
  await agent.destroy()
  await closed
  t.notOk(await runs(view?.pid ?? 0))
})

t.test('a second agent of the same state directory is refused until the first is closed', async (t) => {
  const dir = scratch(t)
  const first = await agentOf(t, [], dir)
  await t.rejects(agentOf(t, [], dir), { code: 'state_in_use' })
  await first.agent.close()
  const second = await agentOf(t, [], dir)
  t.same(await second.agent.processes(), [])
})

t.test('a state directory that can not be used is said and costs nothing else', async (t) => {
  const a = model('a')
  const dir = scratch(t, { file: '' })
  const { agent, order, log } = await agentOf(t, [a], join(dir, 'file', 'state'))
  t.match(log.messages, [/^warn the state directory can not be used/])
  t.match(await agent.swap(order(a)), { outcome: 'ready' })
})

t.test('who unsubscribed hears nothing', async (t) => {
  const a = model('a')
  const { agent, order, events } = await agentOf(t, [a])
  let heard = 0
  agent.subscribe(() => (heard += 1))()
  epochIn(await agent.swap(order(a)))
  const [view] = await agent.processes()
  process.kill(view?.pid ?? 0, 'SIGKILL')
  await until('the crash is told', () => events.length === 1)
  t.equal(heard, 0)
})

t.test('a stop command that saves gets all of its unloadTimeout when the agent closes, too', async (t) => {
  const saved = join(scratch(t), 'saved')
  // Longer than the second asking takes to come
  const save = `setTimeout(() => { require("fs").writeFileSync("${saved}", "all"); process.kill(\${PID}) }, 1600)`
  const a = model('a', { cmdStop: scriptCommand(save), unloadTimeoutMs: 30_000 })
  const { agent, order } = await agentOf(t, [a])
  epochIn(await agent.swap(order(a)))
  await agent.close()
  t.equal(readFileSync(saved, 'utf8'), 'all')
  t.match(await agent.processes(), [{ phase: 'stopped', lastExit: { reason: 'stopped as asked' } }])
})

t.test('once an engine is ready, no bad answer of its health route ends it or what it streams', async (t) => {
  const journal = join(scratch(t), 'journal')
  const switches = `--health-flap 0.9 --tokens 60 --tps 40 --journal ${journal}`
  const a = model('a', { cmd: fakeCommand(switches) })
  const { agent, order, events } = await agentOf(t, [a])
  const epoch = epochIn(await agent.swap(order(a)))
  const [before] = await agent.processes()
  const answer = await chat(agent, a, epoch).over
  t.match(answer, { status: 200, body: /"completion_tokens":60/ })
  t.equal(epochIn(await agent.swap(order(a))), epoch, 'wanted again, it is not probed for it either')
  t.same(
    (await agent.processes()).map(({ pid }) => pid),
    [before?.pid],
  )
  t.same(events, [])
  t.notOk(readJournal(journal).some(({ event }) => event === 'signal' || event === 'exit'))
})
