import { generation } from '@lswap/core'
import t from 'tap'
import { createKeptAnswers } from '../src/kept-answers.ts'

t.test('an order that is given again joins the first, or gets its answer', async (t) => {
  const once = createKeptAnswers()
  let runs = 0
  let answer: ((text: string) => void) | undefined
  const run = (): Promise<string> => {
    runs += 1
    return new Promise((resolve) => (answer = resolve))
  }
  const first = once(generation(1), run)
  const again = once(generation(1), run)
  answer?.('done')
  t.same([await first, await again, await once(generation(1), run)], ['done', 'done', 'done'])
  t.equal(runs, 1)
})

t.test('the oldest answers are forgotten, but none that is still to come', async (t) => {
  const once = createKeptAnswers(2)
  const given: number[] = []
  const give = (number: number, isAnswered = true): Promise<void> =>
    once(generation(number), () => {
      given.push(number)
      return isAnswered ? Promise.resolve() : new Promise(() => {})
    })
  void give(1, false)
  await give(2)
  await give(3)
  await give(4)
  void give(1)
  await give(4)
  t.same(given, [1, 2, 3, 4])
  await give(2)
  t.same(given, [1, 2, 3, 4, 2], 'forgotten, so given anew')
})

t.test('an order that fails fails for all who gave it', async (t) => {
  const once = createKeptAnswers()
  const fails = (): Promise<never> => once(generation(1), () => Promise.reject(new Error('no')))
  await t.rejects(fails(), { message: 'no' })
  await t.rejects(fails(), { message: 'no' })
})
