import { join } from 'node:path'
import t from 'tap'
import { isGroupAlive } from '../../src/process/signals.ts'
import { eventsOf, readJournal } from './support/journal.ts'
import { fakeCommand, model, scriptCommand } from './support/models.ts'
import { GONE, ownerOf } from './support/owners.ts'
import { runs, until } from './support/poll.ts'

const NOW = { drainMs: 0, failure: GONE }
const SERVER = 'require("http").createServer((_, r) => r.end()).listen(${PORT}, "127.0.0.1");'

t.test('asks with the stop signal, after the connections are closed', async (t) => {
  const journal = join(t.testdir(), 'journal')
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
  t.ok(spent >= 290 && spent < 10_000, `${spent} ms`)
  t.match(rig.owner.view().lastExit, { signal: 'SIGKILL' })
})

t.test('a second signal comes after a second', async (t) => {
  const script = `${SERVER} let n = 0; process.on("SIGTERM", () => { n += 1; if (n === 2) process.exit(7) })`
  const rig = ownerOf(t, model('m', { cmd: scriptCommand(script) }))
  await rig.ready()
  await rig.owner.ensureStopped(NOW)
  t.match(rig.owner.view().lastExit, { code: 7 })
})

for (const switches of ['--fork-child', '--fork-child --ignore-sigterm', '--wrapper', '--wrapper --fork-child']) {
  t.test(`leaves nothing of ${switches}`, async (t) => {
    const journal = join(t.testdir(), 'journal')
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

t.test('running requests may end first', async (t) => {
  const journal = join(t.testdir(), 'journal')
  const rig = ownerOf(t, model('m', { cmd: fakeCommand(`--journal ${journal}`) }))
  await rig.ready()
  rig.connections[0]?.begin()
  const stopped = rig.owner.ensureStopped({ drainMs: 60_000, failure: GONE })
  t.match(rig.owner.view(), { phase: 'stopping' })
  t.equal(rig.owner.connections(rig.owner.view().epoch ?? (0 as never)), undefined, 'no new work')
  t.notOk(eventsOf(journal).includes('signal'))
  rig.connections[0]?.end()
  t.same(await stopped, { outcome: 'stopped' })
})

t.test('running requests are cut at the drain limit, or when somebody is in a greater hurry', async (t) => {
  const rig = ownerOf(t, model('m'))
  await rig.ready()
  rig.connections[0]?.begin()
  t.same(await rig.owner.ensureStopped({ drainMs: 20, failure: GONE }), { outcome: 'stopped' })
  await rig.ready()
  rig.connections[1]?.begin()
  const patient = rig.owner.ensureStopped({ drainMs: 60_000, failure: GONE })
  const evicted = { code: 'evicted', message: 'make room' } as const
  t.same(await rig.owner.ensureStopped({ drainMs: 0, failure: evicted }), { outcome: 'stopped' })
  t.same(await patient, { outcome: 'stopped' })
  t.same(rig.connections[1]?.closedWith, [evicted])
})

t.test('a stop during the start kills at once', async (t) => {
  const cmd = fakeCommand('--load-ms 60000 --ignore-sigterm')
  const rig = ownerOf(t, model('m', { cmd, unloadTimeoutMs: 60_000 }))
  const ready = rig.ready()
  await until('it is spawned', () => rig.owner.view().pid !== undefined)
  const { pid } = rig.owner.view()
  const began = performance.now()
  t.same(await rig.owner.ensureStopped(NOW), { outcome: 'stopped' })
  t.ok(performance.now() - began < 10_000)
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

t.test('cmdStop is run with pid and port in place of the signal', async (t) => {
  const journal = join(t.testdir(), 'journal')
  const cmdStop = `sh -c 'echo stopping $0 on $1; kill -INT $0' \${PID} \${PORT}`
  const rig = ownerOf(t, model('m', { cmd: fakeCommand(`--journal ${journal}`), cmdStop }))
  await rig.ready()
  const { pid, url } = rig.owner.view()
  t.same(await rig.owner.ensureStopped(NOW), { outcome: 'stopped' })
  t.ok(rig.output.tail(99).includes(`stopping ${pid} on ${url?.split(':').at(-1)}`))
  const signals = readJournal(journal).filter(({ event }) => event === 'signal')
  t.match(signals, [{ signal: 'SIGINT' }])
})

t.test('a cmdStop that hangs blocks nothing', async (t) => {
  const rig = ownerOf(t, model('m', { cmdStop: 'sleep 60', unloadTimeoutMs: 300 }))
  await rig.ready()
  const began = performance.now()
  t.same(await rig.owner.ensureStopped(NOW), { outcome: 'stopped' })
  t.ok(performance.now() - began < 10_000)
  t.match(rig.owner.view().lastExit, { signal: 'SIGKILL' })
})

t.test('a cmdStop that fails is replaced by the signal', async (t) => {
  for (const cmdStop of ['false', '/nowhere/stop', `'open`]) {
    const rig = ownerOf(t, model('m', { cmdStop }))
    await rig.ready()
    t.same(await rig.owner.ensureStopped(NOW), { outcome: 'stopped' })
    t.match(rig.owner.view().lastExit, { code: 0 }, cmdStop)
    t.match(rig.log.messages, [/^warn cmdStop failed/])
  }
})

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
    t.ok(performance.now() - began < 15_000)
  },
)
