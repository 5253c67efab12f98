import t from 'tap'
import { configOf, issuesOf } from './reading.ts'

const twoModels = (a: string, b: string): string =>
  `models:\n  a: { cmd: "x \${PORT}", aliases: ${a} }\n  b: { cmd: "x \${PORT}", aliases: ${b} }\n`

const clashes: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['an alias that is an id', '[b]', '[]', ['2:36: error: models.a.aliases[0]: "b" is the id of another model']],
  [
    'an alias that is an id further up',
    '[]',
    '[a]',
    ['3:36: error: models.b.aliases[0]: "a" is the id of another model'],
  ],
  [
    'one alias of two models',
    '[x]',
    '[y, x]',
    ['3:39: error: models.b.aliases[1]: "x" is an alias of the model "a" already'],
  ],
  ['one alias twice', '[x, x]', '[]', ['2:39: error: models.a.aliases[1]: "x" is there twice']],
  [
    'an alias that is its own id',
    '[a]',
    '[]',
    ['2:36: warning: models.a.aliases[0]: this alias is the id of its own model: it has no effect'],
  ],
  [
    'numbers, as they are written',
    '[1.0]',
    '["1.0"]',
    ['3:36: error: models.b.aliases[0]: "1.0" is an alias of the model "a" already'],
  ],
  ['no clash', '[x, y]', '[z, X]', []],
]

t.test('a name belongs to one model', async (t) => {
  for (const [name, a, b, lines] of clashes) t.same(issuesOf(twoModels(a, b)), lines, name)
})

t.test('an alias that has no effect is left out', async (t) => {
  t.same(configOf(twoModels('[a, x]', '[]')).models[0]?.aliases, ['x'])
})

t.test('a mistake in a model does not make its names unknown', async (t) => {
  const text = `${twoModels('[x]', '[]').replace('aliases: [x]', 'aliases: [x], ttl: soon')}groups: { g: { members: [a, b] } }`
  t.equal(issuesOf(text).length, 1)
})
