import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { isGroupAlive } from '../../src/process/signals.ts'
import { eventsOf, readJournal } from './support/journal.ts'
import { fakeCommand, model, scriptCommand } from './support/models.ts'
import { GONE, ownerOf } from './support/owners.ts'
import { runs, until } from './support/poll.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const NOW = { drainMs: 0, failure: GONE }

t.test('two who want it ready at once get one process', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--load-ms 50') }))
  const outcomes = await Promise.all([rig.ready(), rig.ready()])
  t.match(outcomes, [
    { outcome: 'ready', epoch: 1 },
    { outcome: 'ready', epoch: 1 },
  ])
  t.match(await rig.ready(), { outcome: 'ready', epoch: 1 })
  t.equal(rig.starts(), 1)
})

t.test('ready during a stop waits for the stop, then starts', async (t) => {
  const journal = join(scratch(t), 'journal')
  const rig = ownerOf(t, model('m', { cmd: fakeCommand(`--term-ms 100 --journal ${journal}`) }))
  await rig.ready()
  const stopped = rig.owner.ensureStopped(NOW)
  t.match(await rig.ready(), { outcome: 'ready', epoch: 2 })
  t.same(await stopped, { outcome: 'stopped' })
  const lives = eventsOf(journal).filter((event) => event !== 'request')
  t.same(lives, ['start', 'ready', 'signal', 'exit', 'start', 'ready'])
})

t.test('a later stop cancels who waits for the earlier one', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--term-ms 100') }))
  await rig.ready()
  const first = rig.owner.ensureStopped(NOW)
  const ready = rig.ready()
  const second = rig.owner.ensureStopped(NOW)
  t.same(await ready, { outcome: 'aborted' })
  t.same(await Promise.all([first, second]), [{ outcome: 'stopped' }, { outcome: 'stopped' }])
  t.equal(rig.starts(), 1)
  t.ok(rig.owner.isStopped())
})

t.test('a start is given up when the last who wants it leaves', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--load-ms 60000') }))
  const first = new AbortController()
  const second = new AbortController()
  const outcomes = [rig.owner.ensureReady({ signal: first.signal }), rig.owner.ensureReady({ signal: second.signal })]
  await until('it is spawned', () => rig.owner.view().pid !== undefined)
  const { pid } = rig.owner.view()
  first.abort()
  t.same(await outcomes[0], { outcome: 'aborted' })
  t.match(rig.owner.view(), { phase: 'starting' })
  second.abort()
  await until('it is given up', () => rig.owner.view().phase !== 'starting')
  t.same(await outcomes[1], { outcome: 'aborted' })
  t.match(rig.owner.view(), { phase: 'stopped' })
  t.notOk(await runs(pid ?? 0))
})

t.test('giving up too late finds it ready', async (t) => {
  const rig = ownerOf(t, model('m'))
  await rig.ready()
  t.match(await rig.owner.ensureReady({ signal: AbortSignal.abort() }), { outcome: 'ready', epoch: 1 })
})

t.test('a crash while ready is told first, then closes the connections, and the next start works', async (t) => {
  const script = `require("http").createServer((_, answer) => answer.end()).listen(\${PORT}, "127.0.0.1")
    process.on("SIGUSR2", () => { console.error("GGML_ASSERT(buffer) failed"); process.exit(9) })`
  const rig = ownerOf(t, model('m', { cmd: scriptCommand(script) }))
  t.match(await rig.ready(), { outcome: 'ready', epoch: 1 })
  const { epoch = 0 as never, pid = 0 } = rig.owner.view()
  t.equal(await rig.owner.fateOf(epoch), undefined, 'it lives')
  process.kill(pid, 'SIGUSR2')
  await until('the crash is told', () => rig.crashes.length > 0)
  const failure = rig.crashes[0]?.failure
  t.match(failure, { code: 'upstream_died', message: /exited with code 9 while it was ready.*GGML_ASSERT/s })
  await until('it is stopped', () => rig.owner.isStopped())
  t.same(rig.connections[0]?.closedWith, [failure])
  t.match(rig.owner.view(), { phase: 'stopped', lastExit: { code: 9, reason: /exited with code 9/ } })
  t.match(await rig.ready(), { outcome: 'ready', epoch: 2 })
})

t.test('what a crashed engine started is ended with it', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--fork-child') }))
  await rig.ready()
  const group = rig.owner.view().pid ?? 0
  process.kill(group, 'SIGKILL')
  await until('it is stopped', () => rig.owner.isStopped())
  t.notOk(isGroupAlive(group))
})

t.test('the fate of a crashed process is known to who asks', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--term-ms 1') }))
  await rig.ready()
  const { epoch = 0 as never, pid = 0 } = rig.owner.view()
  process.kill(pid, 'SIGKILL')
  t.match(await rig.owner.fateOf(epoch), { code: 'upstream_died', message: /ended by SIGKILL/ })
})

t.test('an engine that is gone behind a living wrapper is found out when somebody asks for its fate', async (t) => {
  const journal = join(scratch(t), 'journal')
  const engine = fakeCommand(`--journal ${journal}`).replaceAll("'", '')
  const rig = ownerOf(t, model('m', { cmd: `sh -c '${engine} & sleep 60'` }))
  t.match(await rig.ready(), { outcome: 'ready', epoch: 1 })
  const { epoch = 0 as never } = rig.owner.view()
  t.equal(await rig.owner.fateOf(epoch), undefined, 'it lives')
  const { pid = 0 } = readJournal(journal)[0] ?? {}
  process.kill(pid, 'SIGKILL')
  await until('it is gone', async () => !(await runs(pid)))
  t.match(await rig.owner.fateOf(epoch), { code: 'upstream_died', message: /stopped listening while it was ready/ })
  t.match(await rig.ready(), { outcome: 'ready', epoch: 2 })
})

t.test('killNow leaves no process behind, in whichever state', async (t) => {
  const starting = ownerOf(t, model('a', { cmd: fakeCommand('--load-ms 60000') }))
  const outcome = starting.ready()
  await until('it is spawned', () => starting.owner.view().pid !== undefined)
  starting.owner.killNow()
  t.match(await outcome, { outcome: 'failed', failure: { code: 'start_failed', message: /ended by SIGKILL/ } })
  const ready = ownerOf(t, model('b'))
  await ready.ready()
  ready.owner.killNow()
  await until('it is gone', () => ready.owner.isStopped())
  ready.owner.killNow()
  t.equal(ready.owner.view().pid, undefined)
})
