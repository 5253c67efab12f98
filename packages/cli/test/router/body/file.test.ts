import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { BodyFile } from '../../../src/router/body/file.ts'
import { createBodyMemory } from '../../../src/router/body/memory.ts'
import { ownTemporaryFolder } from './support.ts'

t.beforeEach(ownTemporaryFolder)

const unexpected = (): never => {
  throw new Error('nothing should be told')
}
const events = { onDrain: () => {}, onFailed: unexpected }

t.test('what was reserved and not written is given back when no more comes, and all of it at the close', async (t) => {
  const disk = createBodyMemory(() => 1_000)
  const file = new BodyFile(disk, events)
  t.teardown(() => file.close())
  t.ok(file.reserve(300))
  t.equal(disk.taken(), 300)
  file.write(Buffer.alloc(100))
  t.same([file.bytes(), file.left()], [100, 200])
  t.ok(file.reserve(150), 'there is that much left')
  t.equal(disk.taken(), 300)
  t.ok(file.reserve(500))
  t.equal(disk.taken(), 600)
  t.notOk(file.reserve(901))
  file.settle()
  t.same([disk.taken(), file.left()], [100, 0])
  file.close()
  file.close()
  t.same([disk.taken(), file.bytes(), file.isOpen()], [0, 0, false])
  file.write(Buffer.alloc(10))
  t.equal(file.bytes(), 10, 'another file')
})

t.test('room to spare is half of the room, and no error where there is no folder', async (t) => {
  const disk = createBodyMemory(() => 1_000)
  const file = new BodyFile(disk, events)
  t.teardown(() => file.close())
  t.notOk(file.reserveSpare(501))
  t.ok(file.reserveSpare(500))
  t.ok(file.isOpen(), 'that it can be written to is known by then')
  process.env['TMPDIR'] = `${scratch(t)}/none`
  const homeless = new BodyFile(
    createBodyMemory(() => 1_000),
    events,
  )
  t.notOk(homeless.reserveSpare(1))
})
