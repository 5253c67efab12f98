import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { readJournal } from './support/journal.ts'
import { fakeCommand, model, scriptCommand } from './support/models.ts'
import { GONE, ownerOf } from './support/owners.ts'
import { runs, until } from './support/poll.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const NOW = { drainMs: 0, failure: GONE }
const SERVER = 'require("http").createServer((_, r) => r.end()).listen(${PORT}, "127.0.0.1");'

t.test('asks with the stop signal, after the connections are closed', async (t) => {
  const journal = join(scratch(t), 'journal')
  const rig = ownerOf(t, model('m', { cmd: fakeCommand(`--journal ${journal}`), stopSignal: 'SIGINT' }))
  await rig.ready()
  const { pid } = rig.owner.view()
  t.same(await rig.owner.ensureStopped(NOW), { outcome: 'stopped' })
  t.same(rig.connections[0]?.closedWith, [GONE])
  t.match(
    readJournal(journal).find(({ event }) => event === 'signal'),
    { signal: 'SIGINT' },
  )
  t.notOk(await runs(pid ?? 0))
  t.match(rig.owner.view(), { phase: 'stopped', lastExit: { code: 0, reason: 'stopped as asked' } })
  t.same(rig.crashes, [], 'an end that was asked for is no crash')
})

t.test('an engine that ignores the signal is killed after its time', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--ignore-sigterm --fork-child'), unloadTimeoutMs: 300 }))
  await rig.ready()
  const began = performance.now()
  t.same(await rig.owner.ensureStopped(NOW), { outcome: 'stopped' })
  const spent = performance.now() - began
  t.ok(spent >= 290 && spent < 60_000, `${spent} ms`)
  t.match(rig.owner.view().lastExit, { signal: 'SIGKILL' })
})

t.test('a second signal comes after a second', async (t) => {
  const script = `${SERVER} let n = 0; process.on("SIGTERM", () => { n += 1; if (n === 2) process.exit(7) })`
  const rig = ownerOf(t, model('m', { cmd: scriptCommand(script) }))
  await rig.ready()
  await rig.owner.ensureStopped(NOW)
  t.match(rig.owner.view().lastExit, { code: 7 })
})

t.test('a stop during the start kills at once', async (t) => {
  const cmd = fakeCommand('--load-ms 60000 --ignore-sigterm')
  const rig = ownerOf(t, model('m', { cmd, unloadTimeoutMs: 60_000 }))
  const ready = rig.ready()
  await until('it is spawned', () => rig.owner.view().pid !== undefined)
  const { pid } = rig.owner.view()
  const began = performance.now()
  t.same(await rig.owner.ensureStopped(NOW), { outcome: 'stopped' })
  t.ok(performance.now() - began < 50_000)
  t.same(await ready, { outcome: 'aborted' })
  t.notOk(await runs(pid ?? 0))
})

t.test('now means without grace', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--ignore-sigterm') }))
  await rig.ready()
  const patient = rig.owner.ensureStopped(NOW)
  t.same(await rig.owner.ensureStopped({ ...NOW, now: true }), { outcome: 'stopped' })
  t.same(await patient, { outcome: 'stopped' })
  t.match(rig.owner.view().lastExit, { signal: 'SIGKILL' })
})

/** Longer than the second asking takes to come. */
const SAVING_MS = 1_600

t.test(
  'an engine that saves at its signal gets all of its unloadTimeout, whatever it is asked meanwhile',
  async (t) => {
    const saved = join(scratch(t), 'saved')
    const save = `setTimeout(() => { require("fs").writeFileSync("${saved}", "all"); process.exit(0) }, ${SAVING_MS})`
    const script = `${SERVER} let n = 0; process.on("SIGTERM", () => { n += 1; if (n === 1) ${save} })`
    const rig = ownerOf(t, model('m', { cmd: scriptCommand(script), unloadTimeoutMs: 30_000 }))
    await rig.ready()
    t.same(await rig.owner.ensureStopped(NOW), { outcome: 'stopped' })
    t.equal(readFileSync(saved, 'utf8'), 'all')
    t.match(rig.owner.view().lastExit, { code: 0, reason: 'stopped as asked' })
  },
)
