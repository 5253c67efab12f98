import t from 'tap'
import { sayLater } from '../../src/progress/say-later.ts'
import { createVirtualClock } from '../router/support/virtual-clock.ts'

const rig = () => {
  const said: string[] = []
  const clock = createVirtualClock()
  return { said, clock, later: sayLater({ say: (line) => said.push(line) }, 'loading a…', clock) }
}

t.test('what takes its time is told, well within what people notice, and once', async (t) => {
  const { said, clock, later } = rig()
  t.same(said, [])
  await clock.advance(50)
  t.same(said, ['loading a…'])
  later.now()
  t.same(said, ['loading a…'])
})

t.test('what was refused at once is not told of as if it went on', async (t) => {
  const { said, clock, later } = rig()
  later.takeBack()
  await clock.advance(1_000)
  later.now()
  t.same(said, [])
})

t.test('what is said after it does not come before it', async (t) => {
  const { said, clock, later } = rig()
  later.now()
  t.same(said, ['loading a…'])
  await clock.advance(1_000)
  t.same(said, ['loading a…'])
})
