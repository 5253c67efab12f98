import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookConfig } from '@lswap/core'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { fakeCommand, model } from './support/models.ts'
import { ownerOf } from './support/owners.ts'
import { until } from './support/poll.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const hook = (cmd: string, changes: Partial<HookConfig> = {}): HookConfig => ({
  cmd,
  timeoutMs: 60_000,
  required: false,
  ...changes,
})

t.test('commands run before and after a load, in order, and their output is in the log', async (t) => {
  const file = join(scratch(t), 'order')
  const note = (text: string): HookConfig => hook(`sh -c 'echo ${text} >> ${file}; echo said ${text}'`)
  const hooks = { before: [note('one $LSWAP_MODEL'), note('two')], after: [note('three $LSWAP_PORT')] }
  const rig = ownerOf(t, model('m', { cmd: fakeCommand(`--journal ${file}`), hooks }))
  t.match(await rig.ready(), { outcome: 'ready' })
  const port = rig.owner.view().url?.split(':').at(-1)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  t.same([lines.slice(0, 2), lines.at(-1)], [['one m', 'two'], `three ${port}`])
  t.ok(lines.length > 3, 'the engine wrote between them')
  t.ok(rig.output.tail(99).includes(`said three ${port}`))
})

t.test('one that fails and is required fails the load and is named; else the load goes on', async (t) => {
  for (const when of ['before', 'after'] as const) {
    const required = { before: [], after: [], [when]: [hook("sh -c 'exit 3'", { required: true })] }
    const strict = ownerOf(t, model('m', { hooks: required }))
    t.match(await strict.ready(), {
      outcome: 'failed',
      failure: { code: 'start_failed', message: new RegExp(`hooks\\.${when}.*sh -c 'exit 3': it exited with code 3`) },
    })
    t.equal(strict.owner.isStopped(), true)
    const wished = { before: [], after: [], [when]: [hook("sh -c 'exit 3'"), hook('/nowhere/at-all')] }
    const lax = ownerOf(t, model('m', { hooks: wished }))
    t.match(await lax.ready(), { outcome: 'ready' })
    t.equal(lax.log.messages.filter((message) => message.includes('a hook failed')).length, 2)
  }
})

t.test('one that hangs is ended after its time, with what it started', async (t) => {
  const hooks = { before: [hook("sh -c 'sleep 600 & wait'", { timeoutMs: 100, required: true })], after: [] }
  const rig = ownerOf(t, model('m', { hooks }))
  t.match(await rig.ready(), { outcome: 'failed', failure: { message: /did not end within 0\.1 s/ } })
})

t.test('a load that is given up begins no engine', async (t) => {
  const started = join(scratch(t), 'started')
  const before = [hook(`sh -c 'echo > ${started}; sleep 600'`)]
  const rig = ownerOf(t, model('m', { hooks: { before, after: [] } }))
  const ready = rig.ready()
  await until('the command runs', () => existsSync(started))
  await rig.owner.ensureStopped({ drainMs: 0, failure: { code: 'unloaded', message: 'test' } })
  t.match(await ready, { outcome: 'aborted' })
  t.notMatch(rig.output.tail(99).join('\n'), /start \d+ on port/)
})
