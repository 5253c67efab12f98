import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Epoch } from '@lswap/core'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { readJournal } from '../process/support/journal.ts'
import { fakeCommand, model, scriptCommand } from '../process/support/models.ts'
import { runs, until } from '../process/support/poll.ts'
import { agentOf, reached, epochIn } from './support/agents.ts'
import { chat } from './support/exchange.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

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
