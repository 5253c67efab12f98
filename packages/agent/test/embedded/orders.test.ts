import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { anyFreePort } from '../../src/process/listening.ts'
import { fakeCommand, model } from '../process/support/models.ts'
import { runs } from '../process/support/poll.ts'
import { HOST, agentOf, reached, epochIn } from './support/agents.ts'
import { chat } from './support/exchange.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

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
