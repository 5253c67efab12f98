import type { Failure } from '@lswap/core'
import t from 'tap'
import type { Call, Follower } from '../../../src/router/call.ts'
import { untilGone } from '../../../src/router/own/until-gone.ts'

const CLOSING: Failure = { code: 'shutting_down', message: 'Closing.' }

const rig = (isToldOfEnd: boolean) => {
  const told: unknown[] = []
  let follower: Follower | undefined
  const call = { follow: (one: Follower) => void (follower = one) } as Call
  const isAwaited = untilGone(call, {
    fail: (_, { code }) => void told.push(code),
    ...(isToldOfEnd && { onGone: () => void told.push('gone') }),
  })
  return { told, isAwaited, follower }
}

t.test('nobody waits for an answer any more once its client has left', async (t) => {
  const { told, isAwaited, follower } = rig(true)
  t.equal(isAwaited(), true)
  follower?.gone()
  t.equal(isAwaited(), false)
  t.same(told, ['gone'])
})

t.test('a call that is cut gets its answer at once, and no other', async (t) => {
  const { told, isAwaited, follower } = rig(true)
  follower?.cut(CLOSING)
  t.equal(isAwaited(), false)
  t.same(told, ['gone', 'shutting_down'])
  const other = rig(false)
  other.follower?.cut(CLOSING)
  t.same([other.told, other.isAwaited()], [['shutting_down'], false])
})
