import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { eventsOf } from './support/journal.ts'
import { fakeCommand, model } from './support/models.ts'
import { GONE, ownerOf } from './support/owners.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

t.test('running requests may end first', async (t) => {
  const journal = join(scratch(t), 'journal')
  const rig = ownerOf(t, model('m', { cmd: fakeCommand(`--journal ${journal}`) }))
  await rig.ready()
  rig.connections[0]?.begin()
  const stopped = rig.owner.ensureStopped({ drainMs: 60_000, failure: GONE })
  t.match(rig.owner.view(), { phase: 'stopping' })
  t.equal(rig.owner.connections(rig.owner.view().epoch ?? (0 as never)), undefined, 'no new work')
  await new Promise<void>((resolve) => void setImmediate(resolve))
  t.same(rig.connections[0]?.passiveCutWith, [GONE], 'what nobody waits for is cut at once')
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
