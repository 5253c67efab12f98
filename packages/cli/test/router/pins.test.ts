import t from 'tap'
import { answerJson } from './support/answers.ts'
import { ask, errorOf, json, type Told } from './support/ask.ts'
import { model } from './support/config.ts'
import { startRig } from './support/rig.ts'

t.test('a pinned model stays when another is asked for, until it is unpinned', async (t) => {
  const models = [model('org/a:q4', { aliases: ['x'] }), model('b'), model('c')]
  const { port, agent } = await startRig(t, { models, answer: answerJson({}) })
  const post = (path: string): Promise<Told> => ask(port, { method: 'POST', path })
  t.match(json(await post('/api/models/pin/org/a:q4')), {
    msg: 'ok',
    model: 'org/a:q4',
    pinned: true,
    state: 'stopped',
  })
  t.same(agent.swaps, [], 'a pin loads nothing')
  await ask(port, { body: '{"model":"x"}' })
  t.match(json(await post('/api/models/pin/x')), { pinned: true, state: 'ready' })
  await ask(port, { body: '{"model":"b"}' })
  t.match(agent.swaps.at(-1), { model: 'b', evict: [] })
  t.match(json(await ask(port, { path: '/running' })), {
    running: [
      { model: 'org/a:q4', pinned: true },
      { model: 'b', pinned: false },
    ],
  })

  t.match(json(await post('/api/models/unpin/org%2Fa%3Aq4')), { model: 'org/a:q4', pinned: false })
  await ask(port, { body: '{"model":"c"}' })
  t.same(agent.swaps.at(-1)?.evict.toSorted(), ['b', 'org/a:q4'])
})

t.test('only models can be pinned, and not by GET', async (t) => {
  const { port } = await startRig(t)
  const unknown = await ask(port, { method: 'POST', path: '/api/models/pin/nope' })
  t.match([unknown.status, errorOf(unknown).code], [404, 'model_not_found'])
  for (const path of ['/api/models/pin/a', '/api/models/unpin/a']) {
    const told = await ask(port, { path })
    t.match([told.status, told.headers.allow], [405, 'POST'])
  }
})
