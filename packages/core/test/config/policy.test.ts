import t from 'tap'
import { configOf, issuesOf, withModel } from './reading.ts'

const MODELS = 'models:\n  a: { cmd: "x ${PORT}", aliases: [alpha] }\n  b: { cmd: "x ${PORT}" }\n'
const fifo = (settings: string): string =>
  `${MODELS}routing: { scheduler: { use: fifo, settings: { fifo: ${settings} } } }`
const serial = (settings: string): string => `${MODELS}routing: { scheduler: { settings: { serial: ${settings} } } }`

t.test('without settings it is serial with the defaults', async (t) => {
  const { policy, limits, logLevel, logTimeFormat, logTo } = configOf(MODELS)
  t.same(policy, {
    use: 'serial',
    agingSeconds: 10,
    swapAffinity: 'auto',
    minResidencyMs: 0,
    fairShare: true,
    backfill: false,
  })
  t.same(limits, { maxQueued: 2048, queueTimeoutMs: 900_000, drainTimeoutMs: 600_000 })
  t.same({ logLevel, logTimeFormat, logTo }, { logLevel: 'info', logTimeFormat: '', logTo: 'proxy' })
})

t.test('limits, fairness and log level arrive', async (t) => {
  const text = 'maxQueued: 5\nqueueTimeoutMs: 6\ndrainTimeoutMs: 0\nlogLevel: debug'
  t.match(configOf(withModel(text)), {
    limits: { maxQueued: 5, queueTimeoutMs: 6, drainTimeoutMs: 0 },
    logLevel: 'debug',
  })
  t.equal(configOf(withModel('drainTimeoutMs: never')).limits.drainTimeoutMs, 'never')
  t.same(configOf(fifo('{ fairAfterMs: 10 }')).policy, { use: 'fifo', fairAfterMs: 10 })
  t.same(configOf(`${MODELS}routing: { scheduler: { use: fifo } }`).policy, { use: 'fifo', fairAfterMs: 60_000 })
})

t.test('every setting of serial arrives', async (t) => {
  const text = serial('{ agingSeconds: 2.5, swapAffinity: 3, minResidencyMs: 4, fairShare: false, backfill: true }')
  t.same(configOf(text).policy, {
    use: 'serial',
    agingSeconds: 2.5,
    swapAffinity: 3,
    minResidencyMs: 4,
    fairShare: false,
    backfill: true,
  })
  t.same(issuesOf(text), [])
  t.match(configOf(serial('{ swapAffinity: auto }')).policy, { swapAffinity: 'auto' })
  t.match(configOf(serial('{ swapAffinity: 0 }')).policy, { swapAffinity: 0 })
})

t.test('without aging there is no bound, and that is said', async (t) => {
  const text = serial('{ agingSeconds: 0 }')
  t.match(configOf(text).policy, { agingSeconds: 0 })
  t.match(issuesOf(text), [
    /^4:61: warning: routing\.scheduler\.settings\.serial\.agingSeconds: .* nothing bounds a wait/,
  ])
})

t.test('settings of the scheduler that is not used have no effect, and that is said', async (t) => {
  t.same(issuesOf(`${MODELS}routing: { scheduler: { settings: { fifo: { fairAfterMs: 5 } } } }`), [
    '4:37: warning: routing.scheduler.settings.fifo: no effect: the scheduler is serial, the default; routing.scheduler.use: fifo would use it',
  ])
  t.same(issuesOf(`${MODELS}routing: { scheduler: { use: fifo, settings: { serial: { agingSeconds: 0 } } } }`), [
    '4:48: warning: routing.scheduler.settings.serial: no effect: the scheduler is fifo; routing.scheduler.use: serial would use it',
  ])
})

t.test('priorities of models are by id or alias', async (t) => {
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

t.test('numbers that make no sense for serial', async (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['{ agingSeconds: -1 }', /agingSeconds: expected a number of seconds, 0 or more, found the number -1$/],
    ['{ agingSeconds: .inf }', /agingSeconds: expected a number of seconds/],
    ['{ swapAffinity: -1 }', /swapAffinity: expected auto, or a number of points, 0 or more, found the number -1$/],
    ['{ swapAffinity: .nan }', /swapAffinity: expected auto/],
    ['{ minResidencyMs: 1.5 }', /minResidencyMs: expected a whole number of milliseconds/],
    ['{ fairShare: 1 }', /fairShare: expected true or false, found the number 1$/],
    ['{ backfill: maybe }', /backfill: expected true or false/],
    ['{ exclusive: always }', /exclusive: expected auto, true or false, found the text "always"$/],
  ]
  for (const [settings, line] of cases) t.match(issuesOf(serial(settings)), [line], settings)
})
