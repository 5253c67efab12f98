import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import type { Devices } from '../../src/devices/devices.ts'
import { createPeakBook } from '../../src/devices/peaks.ts'
import type { Measured } from '../../src/devices/peaks.ts'
import { openPeaksFile } from '../../src/state/peaks-file.ts'
import { createFakeTimers } from '../forward/support/fake-timers.ts'
import { model } from '../process/support/models.ts'
import { recordedLog } from '../process/support/recorded-log.ts'

const GIB = 2 ** 30
const engine: Measured = { model: model('m'), pid: process.pid }

/** On the two devices. */
const both = (peak: ReadonlyMap<string, number> | undefined) => [peak?.get('gpu0'), peak?.get('gpu1')]

/** Peaks of one engine, which is this process, on a pretended GPU. */
const bookOf = async (t: Test, dir = scratch(t), source = 'nvidia') => {
  const use = { bytes: 0, beside: 0 }
  const nothing = { label: null, use: null, temperatureC: null, powerWatts: null, sampledAt: 0 }
  const device = { name: 'gpu0', source, totalBytes: 24 * GIB, usedBytes: 0, ...nothing }
  const read = async () => ({ memory: undefined, devices: [device] })
  const processes = async () =>
    use.bytes === 0
      ? []
      : [
          { device: 'gpu0', pid: process.pid, bytes: use.bytes },
          { device: 'gpu1', pid: process.pid, bytes: use.beside },
          { device: 'gpu0', pid: 1, bytes: GIB },
        ]
  const sensors: Devices = {
    known: read,
    look: read,
    expectLook: () => () => {},
    processes,
    settled: Promise.resolve(),
    declare: () => {},
    close: () => {},
  }
  const log = recordedLog()
  const clock = createFakeTimers()
  const timed = { now: () => clock.now(), after: (ms: number, fire: () => void) => clock.after(ms, fire) }
  const file = openPeaksFile(dir, log)
  const book = await createPeakBook({ file, sensors, clock: timed, running: () => [engine] })
  return { dir, log, use, book, clock }
}

t.test('the peak is what its own processes used at most, and the next agent knows it', async (t) => {
  const { dir, use, book } = await bookOf(t)
  t.equal(book.peakOf(engine.model), undefined)
  for (const [bytes = 0, beside = 0] of [
    [3 * GIB, 2 * GIB],
    [5 * GIB, GIB],
    [2 * GIB, GIB],
  ]) {
    Object.assign(use, { bytes, beside })
    await book.look()
  }
  t.same(both(book.lastUse(process.pid)), [2 * GIB, GIB])
  t.same(both(book.peakOf(engine.model)), [5 * GIB, 2 * GIB])
  await book.close()
  const next = await bookOf(t, dir)
  t.same(both(next.book.peakOf(engine.model)), [5 * GIB, 2 * GIB])
  t.equal(next.book.peakOf({ ...engine.model, cmd: `${engine.model.cmd} -c 9` }), undefined, 'of this command only')
})

t.test('it is looked at soon after a process is ready', async (t) => {
  const { use, book, clock } = await bookOf(t)
  use.bytes = GIB
  book.noteReady()
  clock.advance(2_000)
  await new Promise((resolve) => setImmediate(resolve))
  await book.close()
  t.equal(book.peakOf(engine.model)?.get('gpu0'), GIB)
})

t.test('on the machine’s own memory it is what is resident', async (t) => {
  const { book } = await bookOf(t, scratch(t), 'host')
  await book.look()
  const skip = process.platform === 'linux' ? false : 'needs /proc'
  t.ok((book.peakOf(engine.model)?.get('gpu0') ?? 0) > 2 ** 20, { skip })
})

t.test('a file that can not be written is said once and costs nothing else', async (t) => {
  const dir = scratch(t)
  // Stands where the draft goes: no file can be written over a folder, whoever asks.
  await mkdir(join(dir, 'peaks.json.new', 'x'), { recursive: true })
  const { use, book, log } = await bookOf(t, dir)
  for (const bytes of [GIB, 2 * GIB]) {
    use.bytes = bytes
    await book.look()
  }
  t.equal(book.peakOf(engine.model)?.get('gpu0'), 2 * GIB)
  t.equal(log.messages.length, 1)
})

t.test('a file that is broken counts as none', async (t) => {
  const dir = scratch(t)
  for (const text of ['', '{"a', '[]', 'null', '{"a":{"gpu0":"1"}}', '{"a":{"gpu0":-1}}']) {
    await writeFile(join(dir, 'peaks.json'), text)
    t.equal((await openPeaksFile(dir, recordedLog()).read()).size, 0, text)
  }
  await writeFile(join(dir, 'peaks.json'), '{"a":{"gpu0":1},"b":null}')
  t.same([...(await openPeaksFile(dir, recordedLog()).read()).keys()], ['a'])
})
