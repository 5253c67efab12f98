import t from 'tap'
import { createWatch } from '../../../src/commands/serve/watch.ts'
import { createVirtualClock } from '../../router/support/virtual-clock.ts'

/** A watch over files whose state the test sets, with a reader that notes what it found. */
const rig = () => {
  const clock = createVirtualClock()
  const files = { state: 'one', read: [] as string[], changes: 0 }
  const watch = createWatch({ look: async () => files.state, clock })
  const read = (): Promise<string> =>
    watch.reading(async () => {
      files.read.push(files.state)
      return files.state
    })
  const onChange = async (): Promise<void> => {
    files.changes += 1
    await read()
  }
  return { clock, files, watch, read, onChange }
}

t.test('an edit is read within about a second, once', async (t) => {
  const { clock, files, watch, read, onChange } = rig()
  await read()
  watch.start(onChange)
  await clock.advance(10_000)
  t.equal(files.changes, 0)
  files.state = 'two'
  await clock.advance(1_100)
  t.equal(files.changes, 1)
  await clock.advance(10_000)
  t.same([files.changes, files.read], [1, ['one', 'two']])
})

t.test('a file that is being written is read when it is quiet', async (t) => {
  const { clock, files, watch, read, onChange } = rig()
  await read()
  watch.start(onChange)
  for (let piece = 0; piece < 8; piece += 1) {
    files.state = `piece ${piece}`
    await clock.advance(400)
  }
  t.ok(files.changes === 0, 'not while it changes')
  await clock.advance(1_100)
  t.same(files.read, ['one', 'piece 7'])
})

t.test('what is as it was before is nothing new', async (t) => {
  const { clock, files, watch, read, onChange } = rig()
  await read()
  watch.start(onChange)
  files.state = 'two'
  await clock.advance(600)
  files.state = 'one'
  await clock.advance(5_000)
  t.equal(files.changes, 0)
})

t.test('a change while the files are read leads to another reading', async (t) => {
  const { clock, files, watch, onChange } = rig()
  await watch.reading(async () => {
    files.state = 'two'
  })
  watch.start(onChange)
  await clock.advance(2_000)
  t.same(files.read, ['two'])
})

t.test('a change while it is told leads to another reading', async (t) => {
  const { clock, files, watch, read } = rig()
  await read()
  watch.start(async () => {
    await read()
    if (files.state === 'two') files.state = 'three'
  })
  files.state = 'two'
  await clock.advance(5_000)
  t.same(files.read, ['one', 'two', 'three'])
})

t.test('what was read for another reason is not read again', async (t) => {
  const { clock, files, watch, read, onChange } = rig()
  await read()
  watch.start(onChange)
  files.state = 'two'
  await clock.advance(600)
  await read()
  await clock.advance(5_000)
  t.equal(files.changes, 0)
})

t.test('files of which nobody knows how they were when they were read are read once more', async (t) => {
  const { clock, files, watch, onChange } = rig()
  watch.start(onChange)
  await clock.advance(5_000)
  t.same(files.read, ['one'])
})

t.test('a watch that was stopped tells nothing and leaves no timer', async (t) => {
  const { clock, files, watch, read, onChange } = rig()
  await read()
  watch.start(onChange)
  files.state = 'two'
  await clock.advance(600)
  watch.stop()
  await clock.advance(5_000)
  t.same([files.changes, clock.pending()], [0, 0])
})
