import { readdirSync } from 'node:fs'
import { scratch } from '@lswap/core/test-support'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createSpill, type Spill } from '../../../src/router/body/spill.ts'

const unexpected = (t: { fail(message: string): unknown }) => (): void => {
  t.fail('nothing should be told')
}

const readAll = async (spill: Spill): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for (let position = 0; position < spill.bytes();) {
    const chunk = await new Promise<Buffer>((resolve) => spill.read(position, resolve))
    chunks.push(chunk)
    position += chunk.length
  }
  return Buffer.concat(chunks)
}

t.test('what was written is read, in order and as often as it is asked for; the file has no name', async (t) => {
  const folder = scratch(t)
  let onFailed: ((error: Error) => void) | undefined
  const failure = new Promise<never>((_, reject) => {
    onFailed = reject
  })
  const spill = createSpill({ onDrain: () => {}, onFailed: (error) => onFailed?.(error) }, folder)
  t.teardown(() => spill.close())
  const whole = (): Promise<Buffer> => Promise.race([readAll(spill), failure])
  const pieces = Array.from({ length: 3_000 }, (_, at) => Buffer.from(`${at},`.repeat((at % 60) + 1)))
  for (const piece of pieces) spill.write(piece)
  const expected = Buffer.concat(pieces)
  t.equal(spill.bytes(), expected.length)
  t.ok((await whole()).equals(expected))
  spill.write(Buffer.from('more'))
  t.ok((await whole()).equals(Buffer.concat([expected, Buffer.from('more')])))
  t.same(readdirSync(folder), [])
})

t.test('a fast writer is told to wait for the disk, and when to go on', async (t) => {
  let drained = 0
  const isDrained = new Promise<void>((resolve) => {
    const onDrain = (): void => {
      drained += 1
      resolve()
    }
    const spill = createSpill({ onDrain, onFailed: unexpected(t) }, scratch(t))
    t.teardown(() => spill.close())
    t.equal(spill.write(Buffer.alloc(1_000)), true)
    t.equal(spill.write(Buffer.alloc(200_000)), false)
  })
  await isDrained
  t.equal(drained, 1)
})

t.test('what is written is read while more is being written', async (t) => {
  const spill = createSpill({ onDrain: () => {}, onFailed: unexpected(t) }, scratch(t))
  t.teardown(() => spill.close())
  const first = Buffer.alloc(64 * 1024, 'a')
  const read: Buffer[] = []
  spill.write(first)
  spill.read(0, (chunk) => read.push(chunk))
  // Never without something to write
  for (let turns = 0; read.length === 0 && turns < 2_000; turns++) {
    spill.write(Buffer.alloc(8 * 1024, 'b'))
    await turn()
  }
  t.ok(read[0]?.equals(first))
})

t.test('what is read behind the end is a failure, and nothing is told after the close', async (t) => {
  const failed = await new Promise<Error>((resolve) => {
    const spill = createSpill({ onDrain: () => {}, onFailed: resolve }, scratch(t))
    spill.read(5, () => t.fail('there is nothing to read'))
  })
  t.match(failed.message, /shorter/)
  const closed = createSpill({ onDrain: unexpected(t), onFailed: unexpected(t) }, scratch(t))
  closed.write(Buffer.alloc(500_000))
  closed.read(0, () => t.fail('it is closed'))
  closed.close()
  closed.close()
  t.equal(closed.write(Buffer.from('x')), true)
  const other = createSpill({ onDrain: () => {}, onFailed: unexpected(t) }, scratch(t))
  t.teardown(() => other.close())
  other.write(Buffer.from('later'))
  t.equal((await readAll(other)).toString(), 'later')
})

t.test('a folder that is not there is told at once', async (t) => {
  t.throws(() => createSpill({ onDrain: () => {}, onFailed: () => {} }, '/nowhere/at/all'), { code: 'ENOENT' })
})
