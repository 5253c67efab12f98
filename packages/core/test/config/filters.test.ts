import t from 'tap'
import { issuesOf, modelOf, modelWith } from './reading.ts'

t.test('filters keep every value as JSON, in the order of the file', async (t) => {
  const { filters } = modelOf(
    modelWith(
      'macros: { temp: 0.7 }',
      'filters:',
      '  stripParams: " top_k, min_p,, top_k "',
      '  setParams: { n: 1.50, big: 1e3, s: "é", on: true, none: null, list: [1, { __proto__: 2 }], m: "${temp}" }',
    ),
    'a',
  )
  t.same(filters.stripParams, ['top_k', 'min_p'])
  t.same(
    filters.setParams.map(({ key, json }) => `${key}=${json}`),
    ['n=1.5', 'big=1000', 's="é"', 'on=true', 'none=null', 'list=[1,{"__proto__":2}]', 'm=0.7'],
  )
  t.same(filters.setParamsById, [])
})

const read = (lines: readonly string[]): unknown =>
  modelOf(modelWith('filters:', ...lines.map((line) => `  ${line}`)), 'a').filters

t.test('the older spellings count where the newer ones are missing', async (t) => {
  const old = ['strip_params: a', 'set_params: { b: 1 }']
  const both = [...old, 'stripParams: c', 'setParams: { d: 1 }']
  t.match(read(old), { stripParams: ['a'], setParams: [{ key: 'b', json: '1' }] })
  t.match(read(both), { stripParams: ['c'], setParams: [{ key: 'd', json: '1' }] })
})

t.test('a name with parameters of its own is an alias, once', async (t) => {
  const text = modelWith(
    'aliases: [x]',
    'filters: { setParamsByID: { "${MODEL_ID}:high": { e: 1 }, x: { e: 2 }, a: { e: 3 } } }',
  )
  const { aliases, filters } = modelOf(text, 'a')
  t.same(aliases, ['x', 'a:high'])
  t.same(
    filters.setParamsById.map(({ name, params }) => [name, params[0]?.json]),
    [
      ['a:high', '1'],
      ['x', '2'],
      ['a', '3'],
    ],
  )
  t.same(issuesOf(text), [])
})

t.test('a name with parameters must not be another model', async (t) => {
  const text = `${modelWith('filters: { setParamsByID: { b: { e: 1 } } }')}\n  b: { cmd: "engine --port \${PORT}" }\n`
  t.match(issuesOf(text), [/setParamsByID\.b: "b" is the id of another model/])
})

t.test('what has no effect, or another one than llama-swap gives it, is said', async (t) => {
  t.match(issuesOf(modelWith('filters: { stripParams: "model, a.b" }')), [
    /warning: models\.a\.filters\.stripParams: model can not be stripped/,
    /warning: models\.a\.filters\.stripParams: filters act on the top level: this is the key "a\.b"/,
  ])
  t.same(modelOf(modelWith('filters: { stripParams: "model, a" }'), 'a').filters.stripParams, ['a'])
  t.match(issuesOf(modelWith('filters: { setParams: { model: x } }')), [
    /warning: models\.a\.filters\.setParams\.model: model can not be set here/,
  ])
  t.same(modelOf(modelWith('filters: { setParams: { model: x } }'), 'a').filters.setParams, [])
  t.match(issuesOf(modelWith('filters: { setParams: { a: [.inf] } }')), [/error: .*: JSON has no \.inf/])
})
