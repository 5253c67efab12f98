import t from 'tap'
import { configOf, issuesOf, modelOf, modelWith } from './reading.ts'

t.test('limits of connections are read in seconds; what is left out stays open', async (t) => {
  t.same(modelOf(modelWith('timeouts: { connect: 3, responseHeader: 0, idleConn: 90, keepalive: 30 }'), 'a').timeouts, {
    connectMs: 3_000,
    responseHeaderMs: 0,
    idleMs: 90_000,
    keepAliveMs: 30_000,
  })
  t.equal(modelOf(modelWith(), 'a').timeouts, undefined)
  t.equal(modelOf(modelWith('timeouts: { connect: 1000000000 }'), 'a').timeouts?.connectMs, 24 * 24 * 3_600_000)
})

t.test('what has no effect for an engine is a warning', async (t) => {
  t.same(issuesOf(modelWith('timeouts: { tlsHandshake: 10, expectContinue: 1 }')), [
    '4:17: warning: models.a.timeouts.tlsHandshake: no effect: engines are reached by plain HTTP',
    '4:35: warning: models.a.timeouts.expectContinue: no effect: lswap answers Expect: 100-continue itself',
  ])
})

t.test('preload names models, by id or alias, and each is loaded once', async (t) => {
  const models = 'models: { a: { cmd: "x ${PORT}", aliases: [first] }, b: { cmd: "x ${PORT}" } }\n'
  t.same(configOf(`${models}hooks: { on_startup: { preload: [b, first, a] } }\n`).preload, ['b', 'a'])
  t.same(issuesOf(`${models}hooks: { on_startup: { preload: [frist] } }\n`), [
    '2:34: error: hooks.on_startup.preload[0]: no model has the id or alias "frist" (did you mean first?)',
  ])
})
