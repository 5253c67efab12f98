import t from 'tap'
import { MAX_CONFIG_LENGTH } from '../../src/config/document.ts'
import { issuesOf, modelOf, withModel } from './reading.ts'

/** Broken YAML, and everything that is said about it. */
const broken: readonly (readonly [string, string, readonly (string | RegExp)[]])[] = [
  ['an empty file', '', ['1:1: error: the file is empty; a configuration needs at least one model under `models`']],
  [
    'only comments',
    '# models:\n\n',
    ['1:1: error: the file is empty; a configuration needs at least one model under `models`'],
  ],
  ['a list', '- models\n', ['1:1: error: expected a map of keys like `models`, found a list']],
  ['text', 'models', ['1:1: error: expected a map of keys like `models`, found the text "models"']],
  ['a number', '\n\n  5', ['3:3: error: expected a map of keys like `models`, found the number 5']],
  [
    'a file that ends in a quote',
    'models:\n  a:\n    cmd: "engine --po',
    [/^3:\d+: error: not valid YAML: Missing closing "quote/],
  ],
  [
    'a file that ends in a bracket',
    'models:\n  a:\n    aliases: [x, y',
    [/^3:\d+: error: not valid YAML: Flow sequence in block collection/],
  ],
  ['a tab as indentation', 'models:\n\ta: 1\n', [/^2:1: error: a tab in the indentation; YAML wants spaces/]],
  ['wrong indentation', 'models:\n  a:\n    cmd: x\n   ttl: 5\n', [/^4:\d+: error: not valid YAML/]],
  [
    'two documents',
    withModel('') + '---\nmodels: {}\n',
    ['4:1: error: a second document begins here (`---`); a configuration is one document'],
  ],
  ['a key twice', withModel('startPort: 1\nstartPort: 2'), ['2:1: error: startPort: this key is there twice']],
  [
    'a model twice',
    'models:\n  a: {cmd: "x ${PORT}"}\n  "a": {cmd: "y ${PORT}"}\n',
    ['3:3: error: models.a: this key is there twice'],
  ],
  ['a key without a name', withModel('? \n: 1'), ['1:3: error: a key is missing before the `:`']],
  ['a list as a key', withModel('[a]: 1'), ['1:1: error: a key must be text']],
  ['an alias without an anchor', withModel('startPort: *x'), ['1:12: error: startPort: no anchor &x above']],
  [
    'an alias inside of its anchor',
    withModel('logLevel: &x [*x]'),
    [
      '1:14: error: logLevel: expected one of debug, info, warn, error, found a list',
      '1:15: error: logLevel[0]: *x is inside of what it stands for',
    ],
  ],
  ['a merge of text', withModel('groups: {<<: x}'), ['1:10: error: groups["<<"]: `<<` takes a map, or a list of maps']],
  [
    'a tag of another schema',
    withModel('logLevel: !!binary aGk='),
    ['1:20: error: logLevel: the tag tag:yaml.org,2002:binary has no meaning here'],
  ],
]

t.test('each kind of broken YAML has its place and its sentence', async (t) => {
  for (const [name, text, expected] of broken) {
    const issues = issuesOf(text)
    t.equal(issues.length >= expected.length, true, `${name}: ${issues.join('\n')}`)
    for (const [index, issue] of expected.entries()) {
      if (typeof issue === 'string') t.equal(issues[index], issue, name)
      else t.match(issues[index], issue, name)
    }
  }
})

t.test('after a syntax error nothing else is told: the rest would be guesses', async (t) => {
  const issues = issuesOf('modles:\n  a: "x\n')
  t.equal(issues.length > 0, true)
  t.same(
    issues.filter((issue) => !issue.includes('not valid YAML')),
    [],
  )
})

t.test('an unknown tag is a warning', async (t) => {
  t.same(issuesOf(withModel('logLevel: !mine info')), ['1:11: warning: not valid YAML: Unresolved tag: !mine'])
})

const defaults = `
models:
  a: &shared
    cmd: engine a --port \${PORT}
    ttl: 60
    unlisted: true
  b:
    <<: *shared
    ttl: 5
    cmd: engine b --port \${PORT}
  c:
    <<: [{ ttl: 1 }, *shared]
`

t.test('anchors and merges share settings between models', async (t) => {
  t.match(modelOf(defaults, 'b'), { cmd: 'engine b --port ${PORT}', idleMs: 5000, unlisted: true })
  t.match(modelOf(defaults, 'c'), { cmd: 'engine a --port ${PORT}', idleMs: 1000, unlisted: true })
})

t.test('an anchor that is set anew stands for its last value', async (t) => {
  const text = 'unloadTimeout: &x 5\nglobalTTL: *x\nhealthCheckTimeout: &x 60\nmaxQueued: *x'
  t.match(modelOf(withModel(text), 'a'), { idleMs: 5000, healthCheckTimeoutMs: 60_000, unloadTimeoutMs: 5000 })
})

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x, x]',
  ...['b', 'c', 'd', 'e', 'f', 'g', 'h'].map(
    (name, index) => `${name}: &${name} [${`*${'abcdefg'[index]}, `.repeat(10)}]`,
  ),
].join('\n')

const mergeBomb = [
  `base: &base { ${Array.from({ length: 3000 }, (_, index) => `k${index}: 1`).join(', ')} }`,
  ...Array.from({ length: 3000 }, (_, index) => `m${index}: { <<: *base }`),
].join('\n')

const deep = Array.from({ length: 80 }, (_, level) => `${' '.repeat(level)}k:`).join('\n')

const lines = (text: string): string => issuesOf(text).join('\n')

t.test('what would take all memory or the whole stack is refused with one sentence', async (t) => {
  t.match(lines('x'.repeat(MAX_CONFIG_LENGTH + 1)), /^1:1: error: the file has 4194305 characters; [^\n]*$/)
  t.match(lines(bomb), /^\d+:\d+: error: more than 200000 values, aliases followed$/)
  t.match(lines(mergeBomb), /^\d+:\d+: error: merges more than 200000 values$/)
  t.match(lines(deep), /^65:\d+: error: nested deeper than 64 levels$/)
  t.match(lines('a: '.repeat(2) + '\n' + '['.repeat(100_000)), /^2:\d+: error: nested deeper than 64 levels$/)
  t.match(lines('x:\n' + '- '.repeat(100_000)), /^2:\d+: error: nested deeper than 64 levels$/)
  t.match(
    lines(Array.from({ length: 2000 }, (_, level) => `${' '.repeat(level)}k:`).join('\n')),
    /^\d+:\d+: error: nested deeper than 64 levels$/,
  )
  t.match(lines('- a\n'.repeat(400_000)), /^\d+:\d+: error: more keys and values than a configuration may hold$/)
})

t.test('a long file of real models is read', async (t) => {
  const models = Array.from(
    { length: 900 },
    (_, index) => `  m${index}: { cmd: "engine --port \${PORT}", ttl: 5, aliases: [x${index}], env: [A=1] }`,
  )
  t.equal(modelOf(`models:\n${models.join('\n')}`, 'm899').idleMs, 5000)
})
