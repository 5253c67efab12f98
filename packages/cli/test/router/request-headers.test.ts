import t from 'tap'
import { readHeaders } from '../../src/router/request-headers.ts'
import { answerJson } from './support/answers.ts'
import { ask, until } from './support/ask.ts'
import { model } from './support/config.ts'
import { startRig } from './support/rig.ts'

const LIMIT = { name: 'maxBodyBytes', bytes: 100 } as const

const priorityOf = (text: string | undefined, name = 'x-llamaswap-priority'): unknown => {
  const reading = readHeaders(text === undefined ? {} : { [name]: text }, LIMIT)
  return reading.ok ? reading.asked.priority : reading.failure.code
}
const criticalityOf = (text: string): unknown => {
  const reading = readHeaders({ 'x-lswap-criticality': text }, LIMIT)
  return reading.ok ? reading.asked.criticality : reading.failure
}
t.test('a priority is clamped, and absent is not 0', async (t) => {
  t.equal(priorityOf(undefined), undefined)
  t.equal(priorityOf('0'), 0)
  t.equal(priorityOf('-0'), 0)
  t.equal(priorityOf('+7', 'x-lswap-priority'), 7)
  t.equal(priorityOf('101'), 100)
  t.equal(priorityOf('-999999999'), -100)
  for (const bad of ['', ' 5', 'high', '1.5', '1234567890']) t.equal(priorityOf(bad), 'invalid_priority', bad)
})

t.test('a criticality is one of three words', async (t) => {
  for (const word of ['critical', 'standard', 'sheddable']) t.equal(criticalityOf(word), word)
  t.match(criticalityOf('vital'), { code: 'invalid_request', hint: /critical, standard, sheddable/ })
  t.match(criticalityOf(''), { code: 'invalid_request' })
})

t.test('a model with a priority goes first, unless the client says otherwise', async (t) => {
  const models = [model('a'), model('b'), model('c', { priority: 5 })]
  for (const [headers, order] of [
    [{}, ['a', 'c', 'b']],
    [{ 'X-LlamaSwap-Priority': '0' }, ['a', 'b', 'c']],
  ] as const) {
    const { port, agent } = await startRig(t, { models })
    const answers = [ask(port, { body: '{"model":"a"}' })]
    await until('a serves', () => agent.forwards.length === 1)
    answers.push(ask(port, { body: '{"model":"b"}' }))
    await queued(port, 1)
    answers.push(ask(port, { body: '{"model":"c"}', headers }))
    await queued(port, 2)
    for (const place of order.keys()) {
      await until('the next serves', () => agent.forwards.length > place)
      const forward = agent.forwards[place]
      if (forward !== undefined) answerJson({})(forward)
    }
    t.same(
      (await Promise.all(answers)).map(({ status }) => status),
      [200, 200, 200],
    )
    t.same(
      agent.swaps.map((swap) => swap.model),
      order,
    )
  }
})

/** Waits until that many requests wait for a grant. */
const queued = async (port: number, count: number): Promise<void> => {
  for (let look = 0; look < 500; look += 1) {
    const { text } = await ask(port, { path: '/metrics' })
    const depths = [...text.matchAll(/^lswap_queue_depth\{[^}]*\} (\d+)$/gm)].map(([, depth]) => Number(depth))
    if (depths.reduce((sum, depth) => sum + depth, 0) === count) return
  }
  throw new Error(`never ${count} waiting`)
}
