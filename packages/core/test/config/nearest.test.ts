import t from 'tap'
import { nearest } from '../../src/config/nearest.ts'

const KEYS = ['cmd', 'cmdStop', 'concurrencyLimit', 'healthCheckTimeout', 'ttl', 'aliases', 'name', 'proxy', 'swap']

const meant: readonly (readonly [string, string | undefined])[] = [
  ['concurencyLimit', 'concurrencyLimit'],
  ['concurrencylimit', 'concurrencyLimit'],
  ['health_check_timeout', 'healthCheckTimeout'],
  ['healthCheckTimeuot', 'healthCheckTimeout'],
  ['alias', 'aliases'],
  ['cdm', 'cmd'],
  ['cmdstop', 'cmdStop'],
  ['tll', 'ttl'],
  ['porxy', 'proxy'],
  ['wsap', 'swap'],
  ['temperature', undefined],
  ['xy', undefined],
  ['', undefined],
  ['ttl', undefined],
  ['x'.repeat(100_000), undefined],
]

t.test('finds the key that was meant, and none when nothing is near', async (t) => {
  for (const [given, candidate] of meant) t.equal(nearest(given, KEYS), candidate, given.slice(0, 30))
})

t.test('the first of equally near ones wins', async (t) => {
  t.equal(nearest('modelC', ['modelA', 'modelB']), 'modelA')
  t.equal(nearest('modelBx', ['modelA', 'modelB']), 'modelB')
})
