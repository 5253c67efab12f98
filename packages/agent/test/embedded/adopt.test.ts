import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generation } from '@lswap/core'
import type { ModelConfig } from '@lswap/core'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import { eventsOf } from '../process/support/journal.ts'
import { fakeCommand, model } from '../process/support/models.ts'
import { runs, until } from '../process/support/poll.ts'
import { agentProcess } from './support/agent-process.ts'
import { agentOf } from './support/agents.ts'
import { chat } from './support/exchange.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

/** A kept model that an agent loaded before it was killed. */
const keptByKilled = async (t: Test, switches = '') => {
  const dir = scratch(t)
  const stateDir = join(dir, 'state')
  const journal = join(dir, 'journal')
  const cmd = fakeCommand(`--journal ${journal} -np 3 ${switches}`)
  const kept = model('kept', { cmd, onAgentExit: 'keep' })
  const { child, ended, pids } = await agentProcess(t, { stateDir, models: [kept] })
  child.kill('SIGKILL')
  await ended
  const [pid = 0] = pids
  t.ok(await runs(pid), 'it outlives the agent')
  return { stateDir, journal, kept, pid }
}

const textOf = async (answer: ReturnType<typeof chat>): Promise<number | string> => {
  const over = await answer.over
  return 'status' in over ? over.status : over.failure.message
}

t.test('a kept engine is taken over: same process, no load, and it serves', async (t) => {
  const { stateDir, journal, kept, pid } = await keptByKilled(t)
  const { agent, order } = await agentOf(t, [kept], stateDir)
  const [view] = await agent.processes()
  t.match(view, { phase: 'ready', pid, epoch: 1, slots: 3 })
  t.match(await agent.swap(order(kept)), { outcome: 'ready', epoch: 1, slots: 3 })
  if (view?.epoch !== undefined) t.equal(await textOf(chat(agent, kept, view.epoch)), 200)
  t.equal(eventsOf(journal).filter((event) => event === 'start').length, 1, 'it was started once')
})

t.test('its log goes on, from before the agent died to now', async (t) => {
  const { stateDir, kept } = await keptByKilled(t, '--log-rate 20')
  const { agent } = await agentOf(t, [kept], stateDir)
  const numbers = async (): Promise<readonly number[]> =>
    (await agent.logs(kept.id, 10_000)).flatMap((line) => /^log (\d+)/.exec(line)?.[1] ?? []).map(Number)
  await until('what it wrote before is read', async () => (await numbers()).includes(0))
  const before = Math.max(...(await numbers()))
  await until('new lines come', async () => Math.max(...(await numbers())) > before + 5)
  const all = await numbers()
  t.same(
    all,
    Array.from({ length: all.length }, (_, at) => at),
    'no line is missing',
  )
})

t.test('its end is noticed, and the next request starts it again', async (t) => {
  const { stateDir, kept, pid } = await keptByKilled(t)
  const { agent, events, order } = await agentOf(t, [kept], stateDir)
  process.kill(pid, 'SIGKILL')
  await until('the end is told', () => events.length > 0)
  t.match(events, [{ type: 'process-exited', epoch: 1, failure: { code: 'upstream_died' } }])
  t.match(await agent.swap(order(kept)), { outcome: 'ready', epoch: 2 })
  t.not((await agent.processes())[0]?.pid, pid)
  await agent.destroy()
})

t.test('it is stopped like any other, and nothing of it stays in the state directory', async (t) => {
  const { stateDir, kept, pid } = await keptByKilled(t, '--fork-child')
  const { agent } = await agentOf(t, [kept], stateDir)
  t.match(await agent.stop({ generation: generation(9), models: [kept.id], drainMs: 0 }), [{ outcome: 'stopped' }])
  t.notOk(await runs(pid))
  t.same(await readdir(join(stateDir, 'run')), [])
  await until('its output is removed', async () => (await readdir(join(stateDir, 'output'))).length === 0)
})

t.test('a second agent takes over what the first one took over and left at its orderly end', async (t) => {
  const { stateDir, kept, pid } = await keptByKilled(t)
  const first = await agentOf(t, [kept], stateDir)
  await first.agent.close()
  t.ok(await runs(pid), 'an orderly end keeps it as well')
  const second = await agentOf(t, [kept], stateDir)
  t.match((await second.agent.processes())[0], { phase: 'ready', pid })
  await second.agent.destroy()
  t.notOk(await runs(pid), 'unless the end is to be at once')
})

t.test('what does not match the configuration any more is ended, and said why', async (t) => {
  const changes: Readonly<Record<string, (kept: ModelConfig) => readonly ModelConfig[]>> = {
    'there is no such model any more': () => [],
    'onAgentExit is not keep any more': (kept) => [{ ...kept, onAgentExit: 'stop' }],
    'its definition is another one now': (kept) => [{ ...kept, cmd: `${kept.cmd} -c 1024` }],
  }
  for (const [reason, change] of Object.entries(changes)) {
    const { stateDir, kept, pid } = await keptByKilled(t)
    const { log } = await agentOf(t, change(kept), stateDir)
    t.notOk(await runs(pid), reason)
    t.match(log.messages[0], new RegExp(reason))
  }
})

t.test('a process that is not healthy is not taken over', async (t) => {
  const { stateDir, kept, pid } = await keptByKilled(t)
  process.kill(pid, 'SIGSTOP')
  const { agent, log } = await agentOf(t, [kept], stateDir)
  t.notOk(await runs(pid))
  t.match(log.messages[0], /not healthy/)
  t.match((await agent.processes())[0], { phase: 'stopped' })
})

t.test('a stranger that got the number of a kept process survives and is not taken over', async (t) => {
  const { stateDir, kept, pid } = await keptByKilled(t)
  const dir = join(stateDir, 'run')
  const [name = ''] = await readdir(dir)
  const record = JSON.parse(await readFile(join(dir, name), 'utf8')) as { startTime: string; runId: string }
  // The run id is in its environment: a stranger has none.
  const stale = { ...record, startTime: `${record.startTime}0`, runId: 'stale' }
  await writeFile(join(dir, 'stale.json'), JSON.stringify(stale))
  await writeFile(join(dir, name), '')
  const { agent } = await agentOf(t, [kept], stateDir)
  t.ok(await runs(pid))
  t.match((await agent.processes())[0], { phase: 'stopped' })
  t.same(await readdir(dir), [])
})
