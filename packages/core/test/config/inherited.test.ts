import t from 'tap'
import { issuesOf, modelOf, modelWith, withModel } from './reading.ts'

const told = (top: string, ...own: readonly string[]): readonly unknown[] => {
  const { sendLoadingState, heartbeat } = modelOf(`${top}\n${modelWith(...own)}`, 'a')
  return [sendLoadingState, heartbeat]
}

t.test('what a waiting stream hears: a model has the global answer unless it has its own', async (t) => {
  t.same(told(''), [false, undefined])
  t.same(told('sendLoadingState: true\nheartbeat: true'), [true, true])
  t.same(told('sendLoadingState: true\nheartbeat: true', 'sendLoadingState: false', 'heartbeat: false'), [false, false])
  t.same(told('', 'sendLoadingState: true', 'heartbeat: true'), [true, true])
})

const limit = (top: string, ...own: readonly string[]) => modelOf(`${top}\n${modelWith(...own)}`, 'a').maxWaitMs

t.test('how long a request waits that hears nothing: a model has the global limit unless it has its own', async (t) => {
  t.equal(limit(''), undefined)
  t.equal(limit('maxWait: 30'), 30_000)
  t.equal(limit('maxWait: 30', 'maxWait: 5'), 5_000)
  t.equal(limit('maxWait: 30', 'maxWait: 0'), undefined)
})

const idle = (globalTTL: number, ttl: string): number | undefined =>
  modelOf(`globalTTL: ${globalTTL}\n${modelWith(ttl)}`, 'a').idleMs

t.test('ttl: -1 and nothing take the global one, 0 is never', async (t) => {
  t.equal(idle(60, ''), 60_000)
  t.equal(idle(60, 'ttl: -1'), 60_000)
  t.equal(idle(60, 'ttl: 0'), undefined)
  t.equal(idle(60, 'ttl: 5'), 5000)
  t.equal(idle(0, ''), undefined)
  t.equal(idle(0, 'ttl: 5'), 5000)
})

const timeouts = (top: string, ...own: readonly string[]): readonly number[] => {
  const model = modelOf(`${top}\n${modelWith(...own)}`, 'a')
  return [model.healthCheckTimeoutMs / 1000, model.unloadTimeoutMs / 1000]
}

t.test('timeouts: a model without its own has the global one, 0 is none', async (t) => {
  t.same(timeouts('healthCheckTimeout: 50\nunloadTimeout: 20'), [50, 20])
  t.same(timeouts('healthCheckTimeout: 50\nunloadTimeout: 20', 'healthCheckTimeout: 0', 'unloadTimeout: 0'), [50, 20])
  t.same(timeouts('healthCheckTimeout: 50\nunloadTimeout: 20', 'healthCheckTimeout: 1', 'unloadTimeout: 2'), [1, 2])
  t.same(timeouts('unloadTimeout: 0'), [120, 10], 'as in llama-swap')
  t.same(timeouts('healthCheckTimeout: 3'), [15, 10])
  t.match(issuesOf(withModel('healthCheckTimeout: 3')), [/^1:21: warning: healthCheckTimeout: raised to 15 seconds/])
})

t.test('a limit that no timer can hold waits as long as one can, and does not end at once', async (t) => {
  const model = modelOf(withModel('healthCheckTimeout: 9999999\nunloadTimeout: 1000000000'), 'a')
  t.match(model, { healthCheckTimeoutMs: 2_073_600_000, unloadTimeoutMs: 2_073_600_000 })
  t.ok(model.unloadTimeoutMs + 60_000 < 2 ** 31, 'with room for what is added to it')
})
