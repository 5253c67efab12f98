import { modelId } from '@lswap/core'
import t from 'tap'
import { ANYBODY, rightsOf } from '../../../src/router/access/rights.ts'
import { key } from '../support/keys.ts'

t.test('a key without restrictions reaches every model, at any priority, as often as it likes', async (t) => {
  const rights = rightsOf(key('app'))
  t.match(rights, { caller: 'app', callerLimit: undefined, isRestricted: false, hasKey: true })
  t.ok(rights.mayUse(modelId('a')))
  t.same(rights.cap({ priority: 100, criticality: 'critical' }), { priority: 100, criticality: 'critical' })
})

t.test('models that are not named are out of reach', async (t) => {
  const rights = rightsOf(key('app', { models: [modelId('a')], concurrency: 2 }))
  t.match(rights, { isRestricted: true, callerLimit: 2 })
  t.ok(rights.mayUse(modelId('a')))
  t.notOk(rights.mayUse(modelId('b')))
  t.notOk(rightsOf(key('app', { models: [] })).mayUse(modelId('a')), 'none are none')
})

t.test('maxPriority caps priority, and criticality by what it stands for', async (t) => {
  const zero = rightsOf(key('app', { maxPriority: 0 }))
  t.same(zero.cap({ priority: 5, criticality: 'critical' }), { priority: 0, criticality: 'critical' })
  t.same(zero.cap({ priority: -5, criticality: 'sheddable' }), { priority: -5, criticality: 'sheddable' })
  const batch = rightsOf(key('app', { maxPriority: -10 }))
  t.same(batch.cap({ priority: 0, criticality: 'critical' }), { priority: -10, criticality: 'sheddable' })
  t.same(batch.cap({ priority: -20, criticality: 'standard' }), { priority: -20, criticality: 'sheddable' })
})

t.test('without keys everybody is one caller that may do everything', async (t) => {
  t.match(ANYBODY, { caller: 'anonymous', callerLimit: undefined, isRestricted: false, hasKey: false })
  t.ok(ANYBODY.mayUse(modelId('a')))
})
