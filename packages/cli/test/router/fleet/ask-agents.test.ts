import { hostId, type HostId } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import t from 'tap'
import { askAgents } from '../../../src/router/fleet/ask-agents.ts'
import { createFakeAgent } from '../support/fake-agent.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

t.test('all are asked at once; who fails, is silent or has nothing to say is left out', async (t) => {
  const hosts = ['late', 'quick', 'broken', 'silent', 'empty', 'mute'].map((name) => hostId(name))
  const agents = new Map<HostId, Agent>(hosts.map((host) => [host, createFakeAgent({ host })]))
  const clock = createVirtualClock()
  let answerLate: ((answer: string) => void) | undefined
  const answers: Record<string, () => Promise<string | undefined> | undefined> = {
    late: () => new Promise((resolve) => (answerLate = resolve)),
    quick: async () => 'quick',
    broken: () => {
      throw new Error('no')
    },
    silent: () => new Promise(() => {}),
    empty: async () => undefined,
    mute: () => undefined,
  }
  const asked: string[] = []
  const told = askAgents({ agents, clock }, ({ host }) => {
    asked.push(host)
    return answers[host]?.()
  })
  t.same(asked, hosts)
  await clock.advance(1_999)
  answerLate?.('late')
  await clock.advance(1)
  t.same(
    [...(await told)],
    [
      ['late', 'late'],
      ['quick', 'quick'],
    ],
    'in the order of the agents',
  )
  t.equal(clock.pending(), 0)
})
