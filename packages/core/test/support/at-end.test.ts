import t from 'tap'
import { atEnd } from './at-end.ts'

/** Stands for a test, and ends when it is told to. */
const made = () => {
  const ends: (() => unknown)[] = []
  const end = async (): Promise<void> => {
    for (const each of ends.toReversed()) await each()
  }
  return { teardown: (each: () => unknown) => void ends.push(each), end }
}

t.test('the latest first, each after the one before has ended', async (t) => {
  const test = made()
  const seen: string[] = []
  atEnd(test, () => seen.push('first'))
  atEnd(test, async () => {
    await new Promise((resolve) => setImmediate(resolve))
    seen.push('second')
  })
  await test.end()
  t.same(seen, ['second', 'first'])
})

t.test('one that fails keeps no other from running, and is told', async (t) => {
  const test = made()
  const seen: string[] = []
  atEnd(test, () => seen.push('first'))
  atEnd(test, () => Promise.reject(new Error('second')))
  atEnd(test, () => seen.push('third'))
  await t.rejects(test.end(), { message: 'second' })
  t.same(seen, ['third', 'first'])
  const both = made()
  atEnd(both, () => Promise.reject(new Error('one')))
  atEnd(both, () => {
    throw new Error('two')
  })
  await t.rejects(both.end(), { message: 'Error: two; Error: one' })
})
