import t from 'tap'
import { fakeCommand, model } from './support/models.ts'
import { GONE, ownerOf } from './support/owners.ts'
import { until } from './support/poll.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

// Nothing survives SIGKILL on order. A limit of no time at all makes every killed process one that is stuck at first,
// and that ends a moment later after all.

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const NOW = { drainMs: 0, failure: GONE }

t.test('a process that survives its kill is stuck: it is told, and nothing is started beside it', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--ignore-sigterm'), unloadTimeoutMs: 1 }), 0)
  await rig.ready()
  const { pid } = rig.owner.view()
  const stopped = rig.owner.ensureStopped(NOW)
  const ready = rig.ready()
  t.match(await stopped, {
    outcome: 'stuck',
    failure: { code: 'stop_failed', message: new RegExp(`m \\(pid ${pid}\\)`) },
  })
  t.match(await ready, { outcome: 'failed', failure: { code: 'stop_failed' } })
  t.equal(rig.starts(), 1)
  t.match(rig.log.messages, [/^error m \(pid/])
})

t.test('it is stopped once it has ended after all, and can be started again', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--ignore-sigterm'), unloadTimeoutMs: 1 }), 0)
  await rig.ready()
  t.match(await rig.owner.ensureStopped(NOW), { outcome: 'stuck' })
  await until('it has ended', () => rig.owner.isStopped())
  t.match(rig.owner.view(), { phase: 'stopped', lastExit: { signal: 'SIGKILL', reason: /long after it was told to/ } })
  await until('its end is told', () => rig.crashes.length > 0)
  t.match(rig.crashes, [{ epoch: 1, failure: { code: 'upstream_died' } }])
  t.match(await rig.ready(), { outcome: 'ready', epoch: 2 })
})

t.test('a later stop tries again', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--ignore-sigterm'), unloadTimeoutMs: 1 }), 0)
  await rig.ready()
  t.match(await rig.owner.ensureStopped(NOW), { outcome: 'stuck' })
  let report = await rig.owner.ensureStopped(NOW)
  await until('it is stopped', async () => {
    report = await rig.owner.ensureStopped(NOW)
    return report.outcome === 'stopped'
  })
  t.same(report, { outcome: 'stopped' })
})

t.test('a start that was given up and does not go away is told as stuck, not as aborted', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--load-ms 60000') }), 0)
  const ready = rig.ready()
  await until('it is spawned', () => rig.owner.view().pid !== undefined)
  t.match(await rig.owner.ensureStopped(NOW), { outcome: /stuck|stopped/ })
  t.match(await ready, { outcome: 'failed', failure: { code: 'stop_failed' } })
})

t.test('a process that must not be killed is asked, is stuck when it does not end, and runs on', async (t) => {
  const rig = ownerOf(t, model('m', { cmd: fakeCommand('--ignore-sigterm'), unloadTimeoutMs: 100, forceKill: false }))
  await rig.ready()
  const pid = rig.owner.view().pid ?? 0
  t.teardown(() => process.kill(pid, 'SIGKILL'))
  t.match(await rig.owner.ensureStopped(NOW), {
    outcome: 'stuck',
    failure: { code: 'stop_failed', message: /must not be killed \(forceKill: false\), and keeps its memory/ },
  })
  t.match(rig.log.messages, [/^error m \(pid/])
  rig.owner.killNow()
  t.match(await rig.owner.ensureStopped({ ...NOW, now: true }), { outcome: 'stuck' })
  t.ok(isRunning(pid))
  t.equal(rig.owner.isStopped(), false)
})

t.test('a start of one that must not be killed is given up by asking', async (t) => {
  const cmd = fakeCommand('--load-ms 60000 --ignore-sigterm')
  const rig = ownerOf(t, model('m', { cmd, unloadTimeoutMs: 100, forceKill: false }))
  const ready = rig.ready()
  await until('it is spawned', () => rig.owner.view().pid !== undefined)
  const pid = rig.owner.view().pid ?? 0
  await rig.owner.ensureStopped(NOW)
  t.match(await ready, { outcome: /failed|aborted/ })
  const endedByKill = rig.owner.view().lastExit?.signal === 'SIGKILL'
  t.equal(endedByKill, false)
  if (isRunning(pid)) process.kill(pid, 'SIGKILL')
})
