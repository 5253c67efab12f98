import t from 'tap'
import type { ConfigReading } from '../../src/config/reading.ts'
import { formatIssue } from '../../src/config/issue.ts'
import { readConfigFiles } from '../../src/config/read-config.ts'

const read = (files: Readonly<Record<string, string>>): ConfigReading =>
  readConfigFiles(
    Object.entries(files).map(([file, text]) => ({ file, text })),
    { env: { HOME: '/home/me' } },
  )

const said = (files: Readonly<Record<string, string>>): readonly string[] => {
  const reading = read(files)
  return (reading.ok ? reading.warnings : reading.issues).map((issue) => formatIssue(issue))
}

const ids = (reading: ConfigReading): unknown => (reading.ok ? reading.config.models.map(({ id }) => id) : reading)

t.test('several files are one configuration: maps merge, lists go behind each other', async (t) => {
  const reading = read({
    '10.yaml': 'macros: { bin: "engine --port ${PORT}" }\nmodels: { a: { cmd: "${bin}" } }\napiKeys: [k1]\n',
    '20.yaml': '# nothing but a comment\n',
    '30.yaml': 'macros: { long: "${bin} -c 9" }\nmodels: { b: { cmd: "${long}" } }\napiKeys: [k2]\nlogLevel: warn\n',
  })
  t.same(ids(reading), ['a', 'b'])
  t.match(reading, { config: { logLevel: 'warn', models: [{}, { cmd: 'engine --port ${PORT} -c 9' }] } })
  t.same(reading.ok && reading.config.access.keys.map(({ secret }) => secret), ['k1', 'k2'])
})

t.test('each mistake names its own file, and the line there', async (t) => {
  t.same(
    said({
      'a.yaml': 'models:\n  a:\n    cmd: x ${PORT}\n    tttl: 1\n',
      'b.yaml': '\nmodels:\n  b:\n    cmd: x ${PORT} ${env.GONE}\n',
      'c.yaml': 'startport: 1\n',
    }),
    [
      'a.yaml:4:5: error: models.a.tttl: unknown key "tttl" (did you mean ttl?)',
      'b.yaml:4:20: error: models.b.cmd: the environment variable GONE is not set',
      'c.yaml:1:1: error: startport: unknown key "startport" (did you mean startPort?)',
    ],
  )
})

t.test('a syntax error in one file hides no syntax error in another, and every other mistake', async (t) => {
  t.match(said({ 'a.yaml': 'models: {a: [', 'b.yaml': 'nope: 1\n', 'c.yaml': 'x: "\n' }), [
    /^a\.yaml:1:\d+: error: not valid YAML/,
    /^c\.yaml:\d+:\d+: error: not valid YAML/,
  ])
})

t.test('what has a name stands in one file only', async (t) => {
  const text = 'models:\n  a: { cmd: "x ${PORT}" }\n'
  t.same(said({ 'a.yaml': text, 'b.yaml': text }), ['b.yaml:2:3: error: models.a: a.yaml has this one already'])
})

t.test('one key with two values is told at the second; the same value twice is fine', async (t) => {
  const models = 'models: { a: { cmd: "x ${PORT}" } }\n'
  t.same(said({ 'a.yaml': `${models}startPort: 6000\n`, 'b.yaml': 'startPort: 7000\n' }), [
    'b.yaml:1:12: error: startPort: two files say different things: the number 7000 here, the number 6000 in a.yaml',
  ])
  t.same(said({ 'a.yaml': `${models}startPort: 6000\n`, 'b.yaml': 'startPort: 6000\n' }), [])
  t.same(said({ 'a.yaml': `${models}startPort:\n`, 'b.yaml': 'startPort: 7000\n' }), [])
  t.same(
    said({ 'a.yaml': `${models}apiKeys: sk-one\n`, 'b.yaml': 'apiKeys: sk-two\n' })
      .join('\n')
      .includes('sk-'),
    false,
  )
})

t.test('an alias bomb of a later file is shared, not copied', async (t) => {
  const bomb = [
    'x: &a [1,1,1,1,1,1,1,1]',
    ...'bcde'.split('').map((name, at) => `${name}: &${name} [${Array(8).fill(`*${'abcd'[at]}`).join(',')}]`),
  ]
  const began = performance.now()
  t.match(
    said({ 'a.yaml': 'models: { a: { cmd: "x ${PORT}" } }\n', 'b.yaml': bomb.join('\n') }).join('\n'),
    'unknown key "x"',
  )
  t.ok(performance.now() - began < 2_000)
})

t.test('all files empty is one message', async (t) => {
  t.match(said({ 'a.yaml': '', 'b.yaml': '# x' }), [/^a\.yaml:1:1: error: all files are empty/])
})

const ranges = (text: string): unknown => {
  const reading = read({ 'a.yaml': text })
  return (reading.ok ? reading.warnings : reading.issues).map((one) => [
    one.line,
    one.column,
    one.endLine,
    one.endColumn,
  ])
}

t.test('an issue says where the word ends that it is about', async (t) => {
  const models = 'models: { a: { cmd: "x ${PORT}" } }\n'
  t.same(ranges(`${models}startport: 1\n`), [[2, 1, 2, 10]])
  t.same(ranges(`${models}logLevel: "very loud" # why\n`), [[2, 11, 2, 22]])
  t.same(ranges(`${models}logLevel: very loud # why\n`), [[2, 11, 2, 20]])
  t.same(ranges(`${models}logLevel: [a]\n`), [[2, 11, 2, 12]])
})
