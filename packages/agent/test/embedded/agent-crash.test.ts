import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HookConfig } from '@lswap/core'
import { atEnd, scratch } from '@lswap/core/test-support'
import t from 'tap'
import { fakeCommand, model, namedFakeCommand } from '../process/support/models.ts'
import { readJournal } from '../process/support/journal.ts'
import { runs, until } from '../process/support/poll.ts'
import { agentProcess } from './support/agent-process.ts'
import { agentOf } from './support/agents.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const ONLY_LINUX = { skip: process.platform !== 'linux' && 'it is found by its environment, which only Linux shows' }

const readIfThere = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')

const allGone = async (pids: readonly number[]): Promise<boolean> => !(await Promise.all(pids.map(runs))).includes(true)

t.test('an agent that is killed takes guarded engines along', async (t) => {
  const dir = scratch(t)
  const guarded = model('guarded', { cmd: namedFakeCommand(dir) })
  const { child, ended, pids } = await agentProcess(t, { stateDir: join(dir, 'state'), models: [guarded] })
  t.notOk(await allGone(pids))
  child.kill('SIGKILL')
  await ended
  await until('the guarded engine is gone', () => allGone(pids))
  t.ok(await allGone(pids))
})

t.test('the next agent ends what a killed one left, and nobody else', async (t) => {
  const stateDir = scratch(t)
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore' })
  t.teardown(() => stranger.kill('SIGKILL'))
  const models = [
    model('plain', { cmd: fakeCommand('--ignore-sigterm --fork-child') }),
    model('wrapped', { cmd: fakeCommand('--wrapper') }),
  ]
  const { child, ended, pids } = await agentProcess(t, { stateDir, models })
  child.kill('SIGKILL')
  await ended
  t.notOk(await allGone(pids), 'they are not guarded')
  const next = await agentOf(t, models, stateDir)
  t.ok(await allGone(pids))
  t.same(await readdir(join(stateDir, 'run')), [])
  t.equal(next.log.messages.filter((message) => /left behind/.test(message)).length, 2)
  t.equal(stranger.exitCode, null)
  const [plain] = models
  if (plain !== undefined) t.match(await next.agent.swap(next.order(plain)), { outcome: 'ready' }, 'its port is free')
})

t.test('what an agent spawned in the moment of its death is ended by the next one', ONLY_LINUX, async (t) => {
  const stateDir = scratch(t)
  const journal = join(stateDir, 'journal.ndjson')
  const script = join(stateDir, 'engine.sh')
  const engine = fakeCommand(`--port 0 --journal '${journal}'`)
  await writeFile(script, `#!/bin/sh\nkill -9 $PPID\nexec ${engine}\n`, { mode: 0o755 })
  const models = [model('m', { cmd: `'${script}'` })]
  await agentProcess(t, { stateDir, models }).catch(() => {})
  await until('the engine has begun', () => readJournal(journal).length > 0)
  const pid = readJournal(journal)[0]?.pid ?? 0
  atEnd(t, async () => {
    if (await runs(pid)) process.kill(pid, 'SIGKILL')
  })
  t.ok(await runs(pid), 'nobody has ended it yet')
  await agentOf(t, models, stateDir)
  t.notOk(await runs(pid))
  t.same(await readdir(join(stateDir, 'run')), [])
})

for (const around of ['hooks.before', 'cmdStop'] as const)
  t.test(`a command of ${around} that its agent left running is ended by the next one`, ONLY_LINUX, async (t) => {
    const stateDir = scratch(t)
    const [script, pidFile] = [join(stateDir, 'command.sh'), join(stateDir, 'pid')]
    // It kills its agent, and no signal but the last one ends it
    await writeFile(script, `#!/bin/sh\ntrap '' TERM\necho $$ >'${pidFile}'\nkill -9 $PPID\nexec sleep 600\n`, {
      mode: 0o755,
    })
    const cmd = `'${script}'`
    const before: HookConfig = { cmd, timeoutMs: 600_000, required: true }
    const models = [
      model('m', {
        // That is said of engines
        forceKill: false,
        ...(around === 'cmdStop' ? { cmdStop: cmd } : { hooks: { before: [before], after: [] } }),
      }),
    ]
    const agent = await agentProcess(t, { stateDir, models, stop: true }).catch(() => undefined)
    await agent?.ended
    await until('it runs', () => readIfThere(pidFile) !== '')
    const pid = Number(readIfThere(pidFile))
    atEnd(t, async () => {
      if (await runs(pid)) process.kill(pid, 'SIGKILL')
    })
    t.ok(await runs(pid), 'nobody has ended it yet')
    await agentOf(t, [model('m')], stateDir)
    t.notOk(await runs(pid))
    t.same(await readdir(join(stateDir, 'run')), [])
  })

t.test('an agent that ends by a bug of its own leaves nothing', async (t) => {
  const stateDir = scratch(t)
  const { ended, pids } = await agentProcess(t, {
    stateDir,
    models: [model('m', { cmd: fakeCommand('--ignore-sigterm') })],
    fail: true,
  })
  await ended
  await until('the engine is gone', () => allGone(pids))
  t.ok(await allGone(pids))
})

t.test('run files live as long as their processes', async (t) => {
  const stateDir = scratch(t)
  const a = model('a')
  const { agent, order, next } = await agentOf(t, [a], stateDir)
  await agent.swap(order(a))
  t.equal((await readdir(join(stateDir, 'run'))).length, 1)
  await agent.stop({ generation: next(), models: [a.id], drainMs: 0 })
  t.same(await readdir(join(stateDir, 'run')), [])
})
