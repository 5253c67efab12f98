import t from 'tap'
import { splitCommand } from '../../src/config/command-line.ts'
import { issuesOf, modelOf, modelWith } from './reading.ts'

t.test('adapter files go behind the command, switched off until one is asked for', async (t) => {
  const model = modelOf(
    modelWith('adapters:', '  poet: /l/poet.gguf', `  legal: { path: 'l/my "law".gguf', scale: 0.5 }`),
    'a',
  )
  t.same(splitCommand(model.cmd), [
    'engine',
    '--port',
    '${PORT}',
    '--lora-init-without-apply',
    '--lora',
    '/l/poet.gguf',
    '--lora',
    'l/my "law".gguf',
  ])
  t.same(model.aliases, ['poet', 'legal'])
  t.same(model.adapters, [
    { alias: 'poet', id: 0, scale: 1, startsOff: true },
    { alias: 'legal', id: 1, scale: 0.5, startsOff: true },
  ])
  t.same(model.filters.setParamsById, [
    { name: 'poet', params: [{ key: 'lora', json: '[{"id":0,"scale":1}]' }] },
    { name: 'legal', params: [{ key: 'lora', json: '[{"id":1,"scale":0.5}]' }] },
  ])
})

t.test('adapters that the command loads itself come first, and one file is loaded once', async (t) => {
  const text = `models:\n  a:\n    cmd: "engine --port \${PORT} --lora a,b --lora-scaled c:2 --lora=d # \\\\"\n    adapters: { one: 2, two: x.gguf, three: { path: x.gguf, scale: 2 } }\n`
  const model = modelOf(text, 'a')
  t.same(model.adapters, [
    { alias: 'one', id: 2, scale: 1 },
    { alias: 'two', id: 4, scale: 1, startsOff: true },
    { alias: 'three', id: 4, scale: 2, startsOff: true },
  ])
  t.same(splitCommand(model.cmd).filter((word) => word === 'x.gguf').length, 1)
})

t.test('a number alone leaves the command as it is; a name is what the engine calls it', async (t) => {
  const model = modelOf(modelWith('adapters: { one: 0, sql: sql-lora }'), 'a')
  t.equal(model.cmd, 'engine --port ${PORT}')
  t.same(model.adapters, [
    { alias: 'one', id: 0, scale: 1 },
    { alias: 'sql', engineName: 'sql-lora' },
  ])
  t.same(
    model.filters.setParamsById.map(({ name }) => name),
    ['one'],
  )
  t.same(model.aliases, ['one', 'sql'])
})

t.test("an adapter's alias may have parameters too", async (t) => {
  const model = modelOf(modelWith('adapters: { one: 0 }', 'filters: { setParamsByID: { one: { top_k: 1 } } }'), 'a')
  t.same(model.filters.setParamsById, [
    {
      name: 'one',
      params: [
        { key: 'top_k', json: '1' },
        { key: 'lora', json: '[{"id":0,"scale":1}]' },
      ],
    },
  ])
})

t.test('an alias that is taken, and values of other kinds', async (t) => {
  t.same(issuesOf(`${modelWith('adapters: { b: 0 }')}\n  b: { cmd: "x \${PORT}" }\n`), [
    '4:17: error: models.a.adapters.b: "b" is the id of another model',
  ])
  t.match(issuesOf(modelWith('adapters: { x: [1], y: -1, z: { pth: l } }')), [
    /^4:20: error: models\.a\.adapters\.x: expected a path, the number of a loaded adapter/,
    /^4:28: error: models\.a\.adapters\.y: expected a whole number, 0 or more, found the number -1/,
    /^4:37: error: models\.a\.adapters\.z\.pth: unknown key "pth"; valid are path, id, scale \(did you mean path\?\)/,
  ])
})
