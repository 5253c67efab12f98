import t from 'tap'
import { configOf, issuesOf, withModel } from './reading.ts'

const MODELS = 'models:\n  a: { cmd: "x ${PORT}", aliases: [alpha] }\n  b: { cmd: "x ${PORT}" }\n'
const fifo = (settings: string): string =>
  `${MODELS}routing: { scheduler: { use: fifo, settings: { fifo: ${settings} } } }`

t.test('without settings it is fifo with the defaults', async (t) => {
  t.match(configOf(MODELS), {
    policy: { use: 'fifo', fairAfterMs: 60_000 },
    limits: { maxQueued: 2048, queueTimeoutMs: 900_000, drainTimeoutMs: 600_000 },
    logLevel: 'info',
  })
})

t.test('limits, fairness and log level arrive', async (t) => {
  const text = 'maxQueued: 5\nqueueTimeoutMs: 6\ndrainTimeoutMs: 0\nlogLevel: debug'
  t.match(configOf(withModel(text)), {
    limits: { maxQueued: 5, queueTimeoutMs: 6, drainTimeoutMs: 0 },
    logLevel: 'debug',
  })
  t.equal(configOf(withModel('drainTimeoutMs: never')).limits.drainTimeoutMs, 'never')
  t.match(configOf(fifo('{ fairAfterMs: 10 }')).policy, { use: 'fifo', fairAfterMs: 10 })
})

t.test('priorities are by id or alias', async (t) => {
  t.same(
    configOf(fifo('{ priority: { alpha: 10, b: -3 } }')).models.map(({ fifoPriority }) => fifoPriority),
    [10, -3],
  )
})

t.test('mistakes with priorities', async (t) => {
  t.same(issuesOf(fifo('{ priority: { alhpa: 1, x: 2 } }')), [
    '4:68: error: routing.scheduler.settings.fifo.priority.alhpa: no model has the id or alias "alhpa" (did you mean alpha?)',
    '4:78: error: routing.scheduler.settings.fifo.priority.x: no model has the id or alias "x"',
  ])
  t.same(issuesOf(fifo('{ priority: { a: 1, alpha: 2 } }')), [
    '4:74: error: routing.scheduler.settings.fifo.priority.alpha: the model "a" has a priority already, by another name',
  ])
  t.match(issuesOf(fifo('{ priority: { a: high } }')), [
    /^4:71: .*priority.a: expected a whole number, found the text "high"$/,
  ])
})

t.test('settings of the scheduler to come are known', async (t) => {
  t.same(issuesOf(`${MODELS}routing: { scheduler: { settings: { serial: { agingSeconds: 5, fairShare: true } } } }`), [
    '4:37: warning: routing.scheduler.settings.serial: accepted, but lswap does not act on it yet',
  ])
})
