import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { isGroupAlive } from '../../src/process/signals.ts'
import { readJournal } from './support/journal.ts'
import { fakeCommand, model, scriptCommand } from './support/models.ts'
import { GONE, ownerOf } from './support/owners.ts'
import { runs, until } from './support/poll.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const NOW = { drainMs: 0, failure: GONE }
const SERVER = 'require("http").createServer((_, r) => r.end()).listen(${PORT}, "127.0.0.1");'

for (const switches of ['--fork-child', '--fork-child --ignore-sigterm', '--wrapper', '--wrapper --fork-child']) {
  t.test(`leaves nothing of ${switches}`, async (t) => {
    const journal = join(scratch(t), 'journal')
    const cmd = fakeCommand(`${switches} --journal ${journal}`)
    const rig = ownerOf(t, model('m', { cmd, unloadTimeoutMs: 1_500 }))
    t.match(await rig.ready(), { outcome: 'ready' })
    const group = rig.owner.view().pid ?? 0
    t.same(await rig.owner.ensureStopped(NOW), { outcome: 'stopped' })
    t.notOk(isGroupAlive(group))
    t.notOk(await runs(readJournal(journal)[0]?.pid ?? 0))
  })
}

t.test(
  'a descendant that left the group goes too',
  { skip: process.platform !== 'linux' && 'needs /proc' },
  async (t) => {
    const script = `${SERVER} const c = require("child_process").spawn("sleep", ["60"], { detached: true }); console.log(c.pid)`
    const rig = ownerOf(t, model('m', { cmd: scriptCommand(script) }))
    await rig.ready()
    const stray = Number(rig.output.tail(1)[0])
    t.ok(await runs(stray))
    t.same(await rig.owner.ensureStopped(NOW), { outcome: 'stopped' })
    t.notOk(await runs(stray))
  },
)

t.test(
  'output held by somebody else does not hold the stop',
  { skip: process.platform !== 'linux' && 'needs /proc' },
  async (t) => {
    // A grandchild whose parent is gone by the time anybody looks: nobody knows it, and it keeps the pipes.
    const script = `${SERVER} require("child_process").spawn("sh", ["-c", "setsid sleep 25 & exit"], { stdio: "inherit" })`
    const rig = ownerOf(t, model('m', { cmd: scriptCommand(script) }))
    await rig.ready()
    const began = performance.now()
    t.same(await rig.owner.ensureStopped(NOW), { outcome: 'stopped' })
    t.ok(performance.now() - began < 24_000)
  },
)
t.test('a grandchild that outlives the engine is killed as well', async (t) => {
  const stubborn = 'trap \\"\\" TERM; echo up; while :; do sleep 1; done'
  const script = `${SERVER} require("child_process").spawn("sh", ["-c", "${stubborn}"], { stdio: "inherit" })`
  const rig = ownerOf(t, model('m', { cmd: scriptCommand(script), unloadTimeoutMs: 300 }))
  await rig.ready()
  await until('the grandchild runs', () => rig.output.tail(1)[0] === 'up')
  const group = rig.owner.view().pid ?? 0
  t.same(await rig.owner.ensureStopped(NOW), { outcome: 'stopped' })
  t.notOk(isGroupAlive(group))
  t.match(rig.owner.view().lastExit, { signal: 'SIGTERM' })
})
