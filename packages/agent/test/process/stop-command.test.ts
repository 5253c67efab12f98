import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { readJournal } from './support/journal.ts'
import { fakeCommand, model } from './support/models.ts'
import { GONE, ownerOf } from './support/owners.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const NOW = { drainMs: 0, failure: GONE }

t.test('cmdStop is run with pid and port in place of the signal', async (t) => {
  const journal = join(scratch(t), 'journal')
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
  t.ok(performance.now() - began < 50_000)
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
