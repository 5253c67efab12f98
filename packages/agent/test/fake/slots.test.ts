import t from 'tap'
import { createSlots } from '../../src/fake/slots.ts'

const never = new AbortController().signal

t.test('the request over the number of slots waits for the first that is free', async (t) => {
  const slots = createSlots(2)
  t.same([await slots.take(never), await slots.take(never)], [0, 1])
  const order: string[] = []
  const third = slots.take(never).then((slot) => order.push(`third ${slot}`))
  const fourth = slots.take(never).then((slot) => order.push(`fourth ${slot}`))
  t.equal(slots.waiting(), 2)
  slots.free(1)
  slots.free(0)
  await Promise.all([third, fourth])
  t.same(order, ['third 1', 'fourth 0'])
  t.same(slots.busy(), [true, true])
})

t.test('a waiter that leaves gets nothing and blocks nobody', async (t) => {
  const slots = createSlots(1)
  await slots.take(never)
  const leaving = new AbortController()
  const left = slots.take(leaving.signal)
  const next = slots.take(never)
  leaving.abort()
  t.equal(await left, undefined)
  slots.free(0)
  t.equal(await next, 0)
  t.equal(await slots.take(AbortSignal.abort()), undefined)
})
