import t from 'tap'
import { createRoomBook } from '../../src/devices/room.ts'
import type { DeviceReading, MachineReading } from '../../src/devices/reading.ts'

const GIB = 2 ** 30

const card = (usedGib: number | null, more: Partial<DeviceReading> = {}): DeviceReading => ({
  name: 'gpu0',
  label: null,
  source: 'nvidia',
  totalBytes: 24 * GIB,
  usedBytes: usedGib === null ? null : usedGib * GIB,
  use: null,
  temperatureC: null,
  powerWatts: null,
  sampledAt: 0,
  ...more,
})

const inGib = (bytes: number | undefined) => (bytes === undefined ? undefined : bytes / GIB)

/** One engine is this process; where it runs is up to the test. */
const rig = (usedGib: number) => {
  const state = {
    now: 100_000,
    reading: { memory: undefined, devices: [card(usedGib)] } as MachineReading,
    pids: [] as number[],
    anonymousGib: 0,
  }
  const book = createRoomBook({
    sensors: { known: async () => state.reading },
    clock: { now: () => state.now },
    pids: () => state.pids,
    anonymousBytes: () => state.anonymousGib * GIB,
  })
  const own = (gib: number): void =>
    book.note({
      devices: state.reading.devices,
      processes: [
        { device: 'gpu0', pid: process.pid, bytes: gib * GIB },
        { device: 'gpu0', pid: 1, bytes: GIB },
      ],
    })
  const use = (gib: number | null): void => {
    state.reading = { memory: undefined, devices: [card(gib)] }
  }
  const read = async () => {
    const { room, others } = await book.read()
    return [inGib(room.get('gpu0')), inGib(others.get('gpu0'))]
  }
  return { state, book, own, use, read }
}

t.test('while nothing of ours runs, all that is used is others’', async (t) => {
  const { read, use } = rig(4)
  t.same(await read(), [20, 4])
  use(10)
  t.same(await read(), [14, 10])
})

t.test('what ours use is not others’, and others are followed while the same engines run', async (t) => {
  const { state, own, read, use } = rig(4)
  await read()
  state.pids = [process.pid]
  use(14)
  t.same(await read(), [20, 4], 'nobody was asked yet whose it is')
  own(10)
  t.same(await read(), [20, 4])
  use(17)
  t.same(await read(), [17, 7], 'another program took three')
  state.pids = [process.pid, 1]
  use(22)
  t.same(await read(), [17, 7], 'one more of ours loads')
})

t.test('memory that an engine gave back late is not others’', async (t) => {
  const { state, book, own, read, use } = rig(4)
  await read()
  state.pids = [process.pid]
  use(14)
  own(10)
  t.same(await read(), [20, 4])
  state.pids = []
  book.noteExit()
  t.same(await read(), [20, 4], 'still shown as used')
  use(2)
  t.same(await read(), [22, 2])
  use(8)
  t.same(await read(), [22, 2])
  state.now += 10_000
  t.same(await read(), [16, 8], 'others after all')
})

t.test('a tool that does not tell whose memory it is leaves what was known while nothing ran', async (t) => {
  const { state, book, read, use } = rig(4)
  await read()
  state.pids = [process.pid]
  use(14)
  book.note({ devices: state.reading.devices, processes: [] })
  t.same(await read(), [20, 4])
})

t.test('a tool that fails does not take its devices out of the machine', async (t) => {
  const { state, read } = rig(4)
  await read()
  state.reading = { memory: undefined, devices: [card(1, { name: 'host', source: 'host' })] }
  t.same(await read(), [20, 4])
})

t.test('declared devices are never more than there is', async (t) => {
  const { state, read } = rig(4)
  const declared = card(4, { totalBytes: 22 * GIB })
  state.reading = { memory: undefined, devices: [declared], found: [card(4)] }
  t.same(await read(), [20, 4])
  state.reading = { memory: undefined, devices: [card(4, { totalBytes: 10 * GIB })], found: [card(4)] }
  t.same(await read(), [10, 4], 'the limit of the operator')
  const unseen = rig(4)
  unseen.state.reading = { memory: undefined, devices: [card(null, { totalBytes: 10 * GIB })], found: [] }
  t.same(await unseen.read(), [10, undefined], 'one that no tool tells of')
})

t.test('on the machine’s own memory, ours is what engines hold that is of no file', async (t) => {
  const { state, book, read } = rig(4)
  state.reading = { memory: undefined, devices: [card(4, { source: 'host' })] }
  t.same(await read(), [20, 4])
  state.pids = [process.pid]
  book.note({ devices: state.reading.devices, processes: [] })
  state.reading = { memory: undefined, devices: [card(14, { source: 'host' })] }
  state.anonymousGib = 8
  t.same(await read(), [18, 6])
})
