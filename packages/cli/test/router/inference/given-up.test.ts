import t, { type Test } from 'tap'
import { answerJson, eventStream, fail } from '../support/answers.ts'
import { until } from '../support/ask.ts'
import type { FakeForward } from '../support/fake-agent.ts'
import { chat, rawClient } from '../support/raw-client.ts'
import { startRig } from '../support/rig.ts'

// How the scheduler hears that a grant ended: an engine that was cut off may go on for a while.

const asked = async (t: Test, answer: (forward: FakeForward) => void) => {
  const outcomes: string[] = []
  const { port, agent, log } = await startRig(t, {
    answer,
    scheduler: (real) => ({
      ...real,
      onServeDone: (event) => {
        outcomes.push(event.outcome)
        return real.onServeDone(event)
      },
    }),
  })
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  client.send(chat('{"model":"a"}'))
  await until('an engine has it', () => agent.forwards.length > 0)
  const ended = (count = 1) => until('it has ended', () => outcomes.length === count)
  return { client, outcomes, ended, bugs: () => log.bugs() }
}

t.test('an engine whose client leaves before a byte came may still be at it', async (t) => {
  const { client, outcomes, ended, bugs } = await asked(t, () => {})
  client.socket.destroy()
  await ended()
  t.same(outcomes, ['given-up'])
  t.same(bugs(), [])
})

t.test('an engine whose client leaves in mid-answer is done with it at its next byte', async (t) => {
  const { client, outcomes, ended } = await asked(t, ({ handler }) => {
    handler.onHead(eventStream)
    handler.onData(Buffer.from('data: 1\n\n'))
  })
  await client.has('data: 1')
  client.socket.destroy()
  await ended()
  t.same(outcomes, ['done'])
})

t.test('an engine that has answered is done', async (t) => {
  const { outcomes, ended } = await asked(t, answerJson({}))
  await ended()
  t.same(outcomes, ['done'])
})

t.test('an engine that failed is at nothing any more', async (t) => {
  const { outcomes, ended } = await asked(t, (forward) => fail(forward, 'upstream_died'))
  await ended(2)
  t.same(outcomes, ['retry', 'done'])
})
