import type { MemoryReport } from '@lswap/core'
import t from 'tap'
import { createRemoteMemory } from '../../src/client/memory.ts'
import { A, hostDouble, remoteOf, serverOf, until } from './support/host.ts'

const device = (roomBytes: number | null) => ({
  name: 'gpu0',
  label: null,
  source: 'nvidia',
  totalBytes: 100,
  usedBytes: 10,
  use: null,
  temperatureC: null,
  powerWatts: null,
  roomBytes,
  othersBytes: 10,
  sampledAt: 1,
})

t.test('what an agent told last counts; a device that nobody can tell of is left out', async (t) => {
  const memory = createRemoteMemory()
  t.equal(memory.report(), undefined)
  const sizes = [{ model: 'a', bytes: 5, source: 'declared' as const }]
  t.equal(memory.learn({ devices: [device(90)], sizes }), true)
  t.equal(memory.learn({ devices: [device(80)], sizes }), false)
  t.same(memory.report(), { room: { gpu0: 80 }, others: { gpu0: 10 }, sizes })
  memory.sampled({ devices: [device(null)] })
  t.same(memory.report(), { room: {}, others: { gpu0: 10 }, sizes })
})

t.test('sizes come with the agent, and again when they are known better', async (t) => {
  const double = await hostDouble(t)
  let told: MemoryReport = { room: {}, others: {}, sizes: [{ model: A, bytes: 7, source: 'estimated' }] }
  Object.assign(double.agent, { memory: async () => told })
  const { url } = await serverOf(t, double)
  const { remote, events } = remoteOf(t, url)
  await remote.tried
  t.match(await remote.memory?.(), { sizes: told.sizes })
  told = { ...told, sizes: [{ model: A, bytes: { gpu0: 9 }, source: 'measured' }] }
  const before = events.length
  double.tell({ type: 'sizes-changed' })
  await until('it is told', () => events.slice(before).some(({ type }) => type === 'sizes-changed'))
  t.match(await remote.memory?.(), { sizes: told.sizes })
})
