import t from 'tap'
import { MAX_ATTEMPTS } from '@lswap/core'
import { answerJson, fail } from '../support/answers.ts'
import { ask, errorOf } from '../support/ask.ts'
import { startRig } from '../support/rig.ts'

const CHAT = '{"model":"a","messages":[{"role":"user","content":"hi"}]}'

t.test('an engine that dies before it answers is tried once more', async (t) => {
  const { port, agent } = await startRig(t, {
    answer: (forward) => {
      if (agent.forwards.length === 1) fail(forward, 'upstream_unreachable')
      else answerJson({ second: true })(forward)
    },
  })
  const told = await ask(port, { body: CHAT })
  t.match(told, { status: 200, text: '{"second":true}' })
  t.equal(agent.forwards.length, 2)
  for (const forward of agent.forwards) t.equal((await forward.body()).toString(), CHAT, 'with the same body')
})

t.test('two attempts and no more', async (t) => {
  const { port, agent, log } = await startRig(t, { answer: (forward) => fail(forward, 'upstream_died') })
  const told = await ask(port, { body: CHAT })
  t.match([told.status, errorOf(told).code], [502, 'upstream_died'])
  t.equal(agent.forwards.length, MAX_ATTEMPTS)
  t.same(log.bugs(), [])
})

t.test('what was unloaded or has answered is not tried again', async (t) => {
  const { port, agent } = await startRig(t, {
    answer: (forward) =>
      fail(forward, agent.forwards.length === 1 ? 'unloaded' : 'upstream_died', agent.forwards.length === 2),
  })
  const unloaded = await ask(port, { body: CHAT })
  t.match([unloaded.status, errorOf(unloaded).code, unloaded.headers['x-should-retry']], [503, 'unloaded', 'false'])
  t.equal((await ask(port, { body: CHAT })).status, 502)
  t.equal(agent.forwards.length, 2)
})
