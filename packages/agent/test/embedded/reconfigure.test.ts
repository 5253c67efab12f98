import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { processIdentity, type ModelConfig } from '@lswap/core'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { anyFreePort } from '../../src/process/listening.ts'
import type { AgentRig } from './support/agents.ts'
import { readJournal } from '../process/support/journal.ts'
import { fakeCommand, model, namedFakeCommand } from '../process/support/models.ts'
import { agentOf, reached, epochIn } from './support/agents.ts'
import { chat } from './support/exchange.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const stop = ({ agent, next }: AgentRig, { id }: ModelConfig, drainMs = 0) =>
  agent.stop({ generation: next(), models: [id], drainMs })

const urlOf = async ({ agent }: AgentRig, { id }: ModelConfig): Promise<string | undefined> =>
  (await agent.processes()).find((view) => view.model === id)?.url

t.test(
  'a model that came can be started, one that went can not, and nothing else happens to those that stay',
  async (t) => {
    const [a, b, c] = [model('a'), model('b'), model('c')]
    const rig = await agentOf(t, [a, b])
    const { agent, order } = rig
    const epoch = epochIn(await agent.swap(order(a)))
    epochIn(await agent.swap(order(b)))
    agent.reconfigure([a, c])
    t.equal(epochIn(await agent.swap(order(a))), epoch, 'the same process')
    epochIn(await agent.swap(order(c)))
    t.match(await agent.swap(order(b)), { outcome: 'failed', failure: { code: 'model_not_found' } })
  },
)

t.test('a model that went serves on until it is stopped, and is then forgotten', async (t) => {
  const [a, b] = [model('a', { cmd: fakeCommand('--tps 20 --tokens 10') }), model('b')]
  const rig = await agentOf(t, [a, b])
  const { agent, order } = rig
  const epoch = epochIn(await agent.swap(order(a)))
  const { begun, over } = chat(agent, a, epoch, { stream: true, max_tokens: 10 })
  await begun
  agent.reconfigure([b])
  const stopped = stop(rig, a, 60_000)
  t.match(await over, { status: 200, body: /\[DONE\]/ })
  t.match(await stopped, [{ outcome: 'stopped' }])
  t.match(await agent.processes(), [{ model: 'b' }])
  t.same(await agent.logs(a.id, 1), [])
})

t.test('a model that went and came back while its process ended is started once more, beside nothing', async (t) => {
  const journal = join(scratch(t), 'journal')
  const a = model('a', { cmd: fakeCommand(`--journal ${journal} --term-ms 100`) })
  const rig = await agentOf(t, [a])
  const { agent, order } = rig
  epochIn(await agent.swap(order(a)))
  agent.reconfigure([])
  const stopped = stop(rig, a)
  agent.reconfigure([a])
  epochIn(await agent.swap(order(a)))
  t.match(await stopped, [{ outcome: 'stopped' }])
  const events = readJournal(journal).map(({ event, pid }) => `${event} ${pid}`)
  const [first, second] = [...new Set(readJournal(journal).map(({ pid }) => pid))]
  t.ok(events.indexOf(`exit ${first}`) < events.indexOf(`start ${second}`), events.join(', '))
})

t.test('a model on the port of one that went waits until that is gone', async (t) => {
  const port = await anyFreePort()
  const cmd = fakeCommand(`--port ${port} --tps 20 --tokens 10`)
  const [a, b] = [model('a', { cmd }), model('b', { cmd })]
  const rig = await agentOf(t, [a])
  const { agent, order } = rig
  const epoch = epochIn(await agent.swap(order(a)))
  const { begun, over } = chat(agent, a, epoch, { stream: true, max_tokens: 10 })
  await begun
  agent.reconfigure([b])
  const stopped = stop(rig, a, 60_000)
  const started = agent.swap(order(b))
  t.match(await over, { status: 200, body: /\[DONE\]/ }, 'its stream is not cut for that')
  t.match(await stopped, [{ outcome: 'stopped' }])
  t.match(await started, { outcome: 'ready' })
})

t.test('who gives up a model that waits for a port is answered at once', async (t) => {
  const port = await anyFreePort()
  const cmd = fakeCommand(`--port ${port} --tps 1 --tokens 1000`)
  const [a, b] = [model('a', { cmd }), model('b', { cmd })]
  const rig = await agentOf(t, [a])
  const { agent, order } = rig
  const epoch = epochIn(await agent.swap(order(a)))
  const { begun } = chat(agent, a, epoch, { stream: true, max_tokens: 1000 })
  await begun
  agent.reconfigure([b])
  void stop(rig, a, 60_000)
  const swap = order(b)
  const started = agent.swap(swap)
  agent.abort(swap.generation)
  t.match(await started, { outcome: 'aborted' })
})

t.test('another command counts from the next start on', async (t) => {
  const [a, more] = [model('a', { cmd: fakeCommand('--parallel 2') }), fakeCommand('--parallel 3')]
  const rig = await agentOf(t, [a])
  const { agent, order } = rig
  const first = await agent.swap(order(a))
  t.match(first, { slots: 2 })
  agent.reconfigure([{ ...a, cmd: more }])
  t.equal(epochIn(await agent.swap(order(a))), epochIn(first), 'what runs is left alone')
  await stop(rig, a)
  t.match(await agent.swap(order(a)), { outcome: 'ready', slots: 3 }, 'its slots are asked for anew')
})

t.test('what runs keeps its port while ports move, and the next start has the new one', async (t) => {
  const [a, other] = [model('a'), model('x')]
  const rig = await agentOf(t, [a])
  const { agent, order } = rig
  epochIn(await agent.swap(order(a)))
  const url = await urlOf(rig, a)
  agent.reconfigure([{ ...a, port: other.port }])
  t.equal(await urlOf(rig, a), url)
  await stop(rig, a)
  epochIn(await agent.swap(order(a)))
  t.equal(await urlOf(rig, a), `http://127.0.0.1:${other.port}`)
})

t.test('how a process is stopped changes while it runs', async (t) => {
  const dir = scratch(t)
  const a = model('a')
  const rig = await agentOf(t, [a])
  const { agent, order } = rig
  epochIn(await agent.swap(order(a)))
  agent.reconfigure([{ ...a, cmdStop: `sh -c 'echo new >>${dir}/stops; kill -INT $0' \${PID}` }])
  t.match(await stop(rig, a), [{ outcome: 'stopped' }])
  t.same(await lines(dir), ['new'])
})

t.test('a process that is another by now is stopped as it was to be when it was started', async (t) => {
  const dir = scratch(t)
  const stopBy = (name: string): string => `sh -c 'echo ${name} >>${dir}/stops; kill -INT $0' \${PID}`
  const a = model('a', { cmdStop: stopBy('old') })
  const rig = await agentOf(t, [a])
  const { agent, order } = rig
  epochIn(await agent.swap(order(a)))
  agent.reconfigure([{ ...a, cmd: fakeCommand('--parallel 3'), cmdStop: stopBy('new') }])
  t.match(await stop(rig, a), [{ outcome: 'stopped' }])
  epochIn(await agent.swap(order(a)))
  t.match(await stop(rig, a), [{ outcome: 'stopped' }])
  t.same(await lines(dir), ['old', 'new'])
})

t.test('an engine that waits for the end of its input ends soon with a cmdStop that came later', async (t) => {
  const dir = scratch(t, { state: {} })
  const a = model('a', { cmd: namedFakeCommand(dir, '--ignore-sigterm'), unloadTimeoutMs: 60_000 })
  const rig = await agentOf(t, [a], join(dir, 'state'))
  const { agent, order } = rig
  epochIn(await agent.swap(order(a)))
  agent.reconfigure([{ ...a, cmdStop: 'true' }])
  t.match(await stop(rig, a), [{ outcome: 'stopped' }])
  t.match(await agent.processes(), [{ lastExit: { reason: 'stopped as asked', signal: undefined } }])
})

t.test('a load that is given up for a new definition leaves the place to that', async (t) => {
  const a = model('a', { cmd: fakeCommand('--load-ms 60000') })
  const rig = await agentOf(t, [a])
  const { agent, order } = rig
  const swap = order(a)
  const { there, onProgress } = reached('spawned')
  const old = agent.swap(swap, onProgress)
  await there
  agent.reconfigure([{ ...a, cmd: fakeCommand('--load-ms 1') }])
  agent.abort(swap.generation)
  await stop(rig, a)
  t.match(await old, { outcome: 'aborted' })
  t.match(await agent.swap(order(a)), { outcome: 'ready' })
})

const lines = async (dir: string): Promise<readonly string[]> => {
  return (await readFile(join(dir, 'stops'), 'utf8')).trim().split('\n')
}

t.test('what a process was started as is told until its end, whatever is configured by then', async (t) => {
  const [old, other] = [model('a'), model('a', { cmd: fakeCommand('--tokens 1') })]
  const rig = await agentOf(t, [old])
  const { agent, order } = rig
  const startedAs = async () => (await agent.processes())[0]?.processHash
  epochIn(await agent.swap(order(old)))
  agent.reconfigure([other])
  t.equal(await startedAs(), processIdentity(old))
  await stop(rig, old)
  epochIn(await agent.swap(order(other)))
  t.equal(await startedAs(), processIdentity(other))
})
