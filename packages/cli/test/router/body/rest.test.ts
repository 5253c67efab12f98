import t, { type Test as Tap } from 'tap'
import { BodyFile } from '../../../src/router/body/file.ts'
import { createBodyMemory } from '../../../src/router/body/memory.ts'
import { createRest } from '../../../src/router/body/rest.ts'
import { until } from '../support/ask.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'
import { ownTemporaryFolder } from './support.ts'

const MIB = 1024 * 1024

t.beforeEach(ownTemporaryFolder)

/** A client that the test speaks for, in front of an engine that reads when the test lets it. */
const start = (t: Tap, room: number) => {
  const clock = createVirtualClock()
  const disk = createBodyMemory(() => room)
  const file = new BodyFile(disk, { onDrain: () => rest.drained(), onFailed: (error) => t.error(error) })
  let isPaused = false
  const client = {
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
    },
    isPaused: () => isPaused,
  }
  const rest = createRest({
    client,
    file,
    clock,
    isComplete: () => false,
    isForgotten: () => true,
    edit: (chunk) => [chunk],
  })
  t.teardown(() => {
    rest.detach()
    file.close()
  })
  return { clock, disk, file, client, rest }
}

t.test('a file that was read to its end is closed, and the next time there is another', async (t) => {
  const { clock, disk, file, client, rest } = start(t, 100 * MIB)
  let got = 0
  rest.stream.on('data', (chunk: Buffer) => {
    got += chunk.length
  })
  for (const round of [1, 2, 3]) {
    rest.stream.pause()
    rest.push(Buffer.alloc(MIB))
    t.equal(client.isPaused(), true, 'who is not read is held back')
    await clock.advance(900)
    t.equal(rest.isReadingOn(), false)
    await clock.advance(200)
    t.same([rest.isReadingOn(), client.isPaused()], [true, false])
    rest.keep(Buffer.alloc(round * MIB))
    t.same([file.bytes(), disk.taken()], [round * MIB, 16 * MIB])
    const before = got
    rest.stream.resume()
    await until('all is read', () => got === before + (1 + round) * MIB)
    await until('the client is asked again', () => !client.isPaused())
    t.same([rest.isReadingOn(), file.isOpen(), disk.taken()], [false, false, 0])
    // Right behind the next look
    await clock.advance(900)
  }
})

t.test('a client is held back again when its part of a second is read', async (t) => {
  const { clock, disk, file, client, rest } = start(t, 64 * MIB)
  rest.push(Buffer.alloc(MIB))
  const sent: number[] = []
  for (let second = 0; second < 2; second++) {
    await clock.advance(1_000)
    let bytes = 0
    for (; bytes < 40 * MIB && !(client.isPaused() && file.left() <= 0); bytes += MIB) {
      await until('the file takes more', () => !client.isPaused())
      rest.keep(Buffer.alloc(MIB))
    }
    sent.push(bytes / MIB)
    await until('the file has taken all', () => client.isPaused())
  }
  t.same(sent, [16, 16])
  await clock.advance(5_000)
  t.equal(client.isPaused(), true, 'half of the room is taken')
  t.equal(disk.taken(), 32 * MIB)
})

t.test('the last piece of its part holds a client back, also when the file would take more', async (t) => {
  const { clock, file, client, rest } = start(t, 64 * MIB)
  rest.push(Buffer.alloc(MIB))
  await clock.advance(1_000)
  const piece = 32 * 1024
  for (let left = file.left(); left > piece; left = file.left()) {
    rest.keep(Buffer.alloc(Math.min(MIB, left - piece)))
    await until('the file takes more', () => !client.isPaused())
  }
  t.equal(file.left(), piece)
  rest.keep(Buffer.alloc(piece))
  t.equal(client.isPaused(), true)
})
