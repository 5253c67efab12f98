import { LswapError } from '@lswap/core/errors'
import type { AgentLook } from '@lswap/core/protocol'
import t, { type Test } from 'tap'
import type { Seen } from '../../../src/client/feed.ts'
import { followAgents } from '../../../src/top/agents/follow-agents.ts'
import { createVirtualClock } from '../../router/support/virtual-clock.ts'
import { lookOf, processIn } from '../support/looks.ts'

const gone = (): LswapError => new LswapError({ code: 'host_unreachable', message: 'it does not run.' })
const up = async (): Promise<AgentLook> => lookOf([processIn('tiny', 'ready')])
const down = (): Promise<AgentLook> => Promise.reject(gone())

const rig = (t: Test, looks: Readonly<Record<string, () => Promise<AgentLook>>>) => {
  const clock = createVirtualClock()
  const over = new AbortController()
  const told: string[] = []
  const seen: Seen[] = []
  const asked = new Map<string, number>()
  const answers = { ...looks }
  const agents = Object.keys(looks).map((host) => ({
    host,
    operator: {
      look: () => {
        asked.set(host, (asked.get(host) ?? 0) + 1)
        return answers[host]?.() ?? down()
      },
    },
  }))
  const following = followAgents(agents, {
    clock,
    signal: over.signal,
    listener: {
      seen: (one) => {
        seen.push(one)
        told.push(one.state.hosts.map(({ host, up: isUp }) => `${host} ${isUp ? 'up' : 'DOWN'}`).join(', '))
      },
      heard: () => {},
      lost: (why, retryAt) => told.push(`lost: ${why}, again in ${(retryAt ?? 0) - clock.now()}`),
    },
  })
  const end = async (): Promise<void> => {
    over.abort()
    await following
    t.equal(clock.pending(), 0, 'no timer is left')
  }
  return { clock, told, seen, asked, answers, following, end }
}

t.test('each is looked at once a second, and the first screen has all of them', async (t) => {
  const answers: ((look: AgentLook) => void)[] = []
  const { clock, told, asked, end } = rig(t, {
    quick: up,
    slow: () => new Promise((resolve) => answers.push(resolve)),
  })
  await clock.advance(1_500)
  t.same(told, [])
  t.equal(asked.get('quick'), 2, 'a slow one holds up no other')
  answers[0]?.(await up())
  await clock.advance(1)
  t.same(told, ['quick up, slow up'])
  await end()
})

t.test('one that is lost is tried again later and later, and the others stay', async (t) => {
  const { clock, told, answers, asked, end } = rig(t, { one: up, two: up })
  await clock.advance(10)
  answers['two'] = down
  await clock.advance(1_000)
  t.equal(told.at(-1), 'one up, two DOWN')
  const before = asked.get('two') ?? 0
  await clock.advance(8_000)
  t.ok((asked.get('two') ?? 0) - before <= 4)
  answers['two'] = up
  await clock.advance(4_000)
  t.equal(told.at(-1), 'one up, two up')
  await end()
})

t.test('when all are lost nothing is live any more, and then it is again', async (t) => {
  const { clock, told, answers, end } = rig(t, { one: up })
  await clock.advance(10)
  answers['one'] = down
  await clock.advance(1_000)
  t.equal(told.at(-1), 'lost: it does not run, again in 500')
  answers['one'] = up
  await clock.advance(500)
  t.equal(told.at(-1), 'one up')
  await end()
})

t.test('where none ever answered it ends with why', async (t) => {
  const { following } = rig(t, { one: down, two: down })
  await t.rejects(following, { code: 'host_unreachable' })
})

t.test('times of an agent whose clock is wrong are of our clock, and stand still', async (t) => {
  let at = 77_000
  const { clock, seen, end } = rig(t, {
    one: async () => lookOf([processIn('tiny', 'ready', { since: at - 5_000 - (at - 77_000) })], { at: (at += 990) }),
  })
  const began = clock.now()
  await clock.advance(5_000)
  const since = seen.map(({ state }) => state.models[0]?.placements[0]?.since)
  t.equal(new Set(since).size, 1)
  t.equal(since[0], began - 5_990)
  await end()
})
