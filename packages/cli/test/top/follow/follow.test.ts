import { LswapError } from '@lswap/core/errors'
import t, { type Test } from 'tap'
import type { RouterClient } from '../../../src/client/router-client.ts'
import { follow } from '../../../src/top/follow/follow.ts'
import { emptyState, sentEvent } from '../../progress/feed-state.ts'
import { createVirtualClock } from '../../router/support/virtual-clock.ts'

const gone = (): LswapError => new LswapError({ code: 'unreachable', message: 'Nothing listens there.' })
const FIRST = { type: 'snapshot', at: 1, state: emptyState }
const SNAPSHOT = sentEvent(FIRST)
const HEARTBEAT = ': \n\n'

/** A feed that a test speaks through; undefined ends the connection. */
const rig = ({ isThere = true }: { readonly isThere?: boolean } = {}) => {
  const clock = createVirtualClock()
  const over = new AbortController()
  const told: string[] = []
  let isReachable = isThere
  let isAnswering = true
  let asked = 0
  let connections = 0
  let say: ((text: string | undefined) => void) | undefined
  const router: RouterClient = {
    url: 'http://router',
    ask: async () => {
      asked += 1
      if (!isAnswering) throw new LswapError({ code: 'timed_out', message: 'The router did not answer.' })
      return { status: 200, body: {} }
    },
    stream: async function* ({ signal }) {
      connections += 1
      if (!isReachable) throw gone()
      const texts: (string | undefined)[] = []
      let wake: (() => void) | undefined
      say = (text) => {
        texts.push(text)
        wake?.()
      }
      signal?.addEventListener('abort', () => wake?.())
      for (;;) {
        if (signal?.aborted) throw gone()
        if (texts.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          continue
        }
        const text = texts.shift()
        if (text === undefined) return
        yield text
      }
    },
  }
  const following = follow({
    router,
    clock,
    signal: over.signal,
    listener: {
      seen: () => told.push('seen'),
      heard: () => told.push('heard'),
      lost: (why, retryAt) =>
        told.push(`lost: ${why}${retryAt === undefined ? '' : `, again in ${retryAt - clock.now()}`}`),
    },
  })
  following.catch(() => {})
  return {
    clock,
    told,
    following,
    asked: () => asked,
    connections: () => connections,
    say: async (text: string | undefined) => {
      say?.(text)
      await clock.advance(0)
      await clock.advance(0)
    },
    set: (changes: { readonly isReachable?: boolean; readonly isAnswering?: boolean }) => {
      isReachable = changes.isReachable ?? isReachable
      isAnswering = changes.isAnswering ?? isAnswering
    },
    end: async (t: Test) => {
      over.abort()
      await following
      t.equal(clock.pending(), 0, 'no timer is left')
    },
  }
}

t.test('a router that was never seen ends it, at once or after ten seconds of silence', async (t) => {
  const refused = rig({ isThere: false })
  await t.rejects(refused.following, { code: 'unreachable' })
  const silent = rig()
  await silent.clock.advance(12_000)
  await t.rejects(silent.following, { code: 'timed_out' })
  t.equal(silent.clock.pending(), 0)
  t.same(silent.told, [])
})

t.test('one that went is tried again, later and later, and from the start once it was there', async (t) => {
  const { clock, told, say, set, end } = rig()
  await clock.advance(0)
  await say(SNAPSHOT)
  t.same(told, ['seen'])
  set({ isReachable: false })
  await say(undefined)
  await clock.advance(23_000)
  t.same(
    told.slice(1).map((line) => line.replace(/.*again in /, '')),
    ['500', '1000', '2000', '4000', '8000', '8000'],
  )
  t.match(told[2], 'lost: Nothing listens there, again')
  set({ isReachable: true })
  await clock.advance(8_000)
  await say(SNAPSHOT)
  t.equal(told.at(-1), 'seen')
  set({ isReachable: false })
  await say(undefined)
  t.match(told.at(-1), /again in 500$/)
  await end(t)
})

t.test('a feed that says nothing is asked whether its router lives, and only then', async (t) => {
  const { clock, told, say, asked, end } = rig()
  await clock.advance(0)
  await say(SNAPSHOT)
  await clock.advance(3_500)
  t.equal(asked(), 0)
  await clock.advance(1_500)
  t.equal(asked(), 1)
  await clock.advance(10_000)
  t.ok(asked() <= 4, `asked ${asked()} times in 15 s`)
  t.same(told, ['seen'], 'quiet is not lost')
  await end(t)
})

t.test(
  'a router that stalls for ten seconds is lost within nine, and heard again without a new connection',
  async (t) => {
    const { clock, told, say, set, connections, end } = rig()
    await clock.advance(0)
    await say(SNAPSHOT)
    set({ isAnswering: false })
    await clock.advance(6_000)
    t.equal(told[1], 'lost: The router did not answer')
    await clock.advance(4_000)
    t.equal(told.filter((line) => line === 'heard').length, 0)
    set({ isAnswering: true })
    await say(HEARTBEAT)
    t.equal(told.at(-1), 'heard')
    t.equal(connections(), 1)
    await end(t)
  },
)

t.test('one that answers again is live though its feed has nothing to say', async (t) => {
  const { clock, told, say, set, end } = rig()
  await clock.advance(0)
  await say(SNAPSHOT)
  set({ isAnswering: false })
  await clock.advance(6_000)
  set({ isAnswering: true })
  await clock.advance(2_000)
  t.equal(told.at(-1), 'heard')
  await end(t)
})

t.test(
  'a connection without a heartbeat for twenty seconds is dead, whatever the router answers elsewhere',
  async (t) => {
    const { clock, told, say, connections, end } = rig()
    await clock.advance(0)
    await say(SNAPSHOT)
    await clock.advance(15_000)
    await say(HEARTBEAT)
    await clock.advance(19_000)
    t.equal(connections(), 1)
    await clock.advance(3_000)
    t.match(told.at(-1), /said nothing for 20 s, again in/)
    t.equal(connections(), 2)
    await end(t)
  },
)
