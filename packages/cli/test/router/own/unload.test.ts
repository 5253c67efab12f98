import type { Failure } from '@lswap/core'
import { atEnd } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import { answerJson } from '../support/answers.ts'
import { ask, errorOf, json, until } from '../support/ask.ts'
import { model } from '../support/config.ts'
import { startRig } from '../support/rig.ts'

/** What is answered to an unload whose stop fails so. */
const unloadFailing = async (t: Test, failure: Failure) => {
  const { port } = await startRig(t, {
    answer: answerJson({}),
    stop: async ({ models }) =>
      models.map((id) => ({ placement: { model: id, host: model('a').hosts[0] as never }, outcome: 'stuck', failure })),
  })
  await ask(port, { body: '{"model":"a"}' })
  return ask(port, { method: 'POST', path: '/api/models/unload/a' })
}

t.test('unload stops one model or all, with the time that was given', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}) })
  const cases = [
    ['/api/models/unload/a', 600_000],
    ['/api/models/unload/a?timeout=1.5', 1_500],
    ['/api/models/unload/a?timeout=0', 0],
    ['/api/models/unload/a?force=true', 0],
    ['/api/models/unload', 600_000],
    ['/unload?timeout=999999999', 2 ** 31 - 1],
  ] as const
  for (const [path, drainMs] of cases) {
    await ask(port, { body: '{"model":"a"}' })
    const told = await ask(port, { method: 'POST', path })
    t.match([told.status, json(told)], [200, { msg: 'ok', unloaded: [{ model: 'a', host: 'local' }] }], path)
    t.match(agent.stops.at(-1), { models: ['a'], drainMs })
    t.equal(agent.running.size, 0)
  }
  t.match(json(await ask(port, { method: 'POST', path: '/api/models/unload/b' })), { msg: 'ok', unloaded: [] })
  t.equal((await ask(port, { method: 'POST', path: '/api/models/unload/a?wait=false' })).status, 202)
  for (const timeout of ['-1', 'x', '', '1e3']) {
    const told = await ask(port, { method: 'POST', path: `/api/models/unload/a?timeout=${timeout}` })
    t.match([told.status, errorOf(told).code], [400, 'invalid_request'], timeout)
  }
  t.equal((await ask(port, { method: 'POST', path: '/api/models/unload/nope' })).status, 404)
})

t.test('a process that would not end is told', async (t) => {
  const told = await unloadFailing(t, { code: 'stop_failed', message: 'pid 7 is still there.' })
  t.match([told.status, errorOf(told)], [502, { code: 'stop_failed', message: /a on local: pid 7 is still there/ }])
})

t.test('a stop whose host was lost is no process that would not end', async (t) => {
  const told = await unloadFailing(t, { code: 'host_unreachable', message: 'its agent was killed' })
  t.match(
    [told.status, errorOf(told)],
    [503, { code: 'host_unreachable', message: /a on local: its agent was killed/ }],
  )
})

t.test('unloading ends those who wait, and tells clients not to come back at once', async (t) => {
  const { port, agent } = await startRig(t, { load: () => new Promise(() => {}) })
  const asked = ask(port, { body: '{"model":"a"}' })
  await until('the load has begun', () => agent.swaps.length === 1)
  void ask(port, { method: 'POST', path: '/api/models/unload/a' }).catch(() => {})
  const told = await asked
  t.match([told.status, errorOf(told).code, told.headers['x-should-retry']], [503, 'unloaded', 'false'])
  t.equal(told.headers['retry-after'], undefined)
})

t.test('an unload that nobody waits for and that a bug breaks ends no more than itself', async (t) => {
  const { port, log } = await startRig(t, {
    scheduler: (real) =>
      Object.assign(Object.create(real) as typeof real, {
        onUnload: () => {
          throw new Error('a bug')
        },
      }),
  })
  // Nobody hears of it where it is not held back: it would end the router
  const unheard: unknown[] = []
  const note = (error: unknown): void => void unheard.push(error)
  process.on('unhandledRejection', note)
  atEnd(t, () => void process.off('unhandledRejection', note))
  t.equal((await ask(port, { method: 'POST', path: '/api/models/unload?wait=false' })).status, 202)
  t.equal((await ask(port, { method: 'POST', path: '/api/models/unload' })).status, 500)
  t.same(unheard, [])
  t.equal(log.bugs().length, 2)
})
