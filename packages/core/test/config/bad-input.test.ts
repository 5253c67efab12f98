import t from 'tap'
import { MAX_CONFIG_LENGTH } from '../../src/config/document.ts'
import { configOf, issuesOf, modelOf, withModel } from './reading.ts'

/** Each kind of broken file and what is said first; the rest may follow from it. */
const broken: readonly (readonly [what: string, text: string, first: RegExp])[] = [
  ['half written: ends in a key', 'models:\n  a:\n    cmd: x ${PORT}\n    aliase', /^4:5: error: not valid YAML/],
  ['half written: ends in a list', `${withModel('')}groups:\n  g: { members: [a, `, /^5:\d+: error: not valid YAML/],
  ['half written: ends before the models', 'macros:\n  a: b\n', /^1:1: error: models: no models are configured/],
  ['tabs before keys', 'models:\n\ta:\n\t\tcmd: x\n', /^2:1: error: a tab in the indentation; YAML wants spaces/],
  ['a tab in the middle', 'models:\n  a:\n  \tcmd: x ${PORT}\n', /^3:\d+: error: a tab in the indentation/],
  ['a key twice', withModel('logLevel: info\nlogLevel: warn'), /^2:1: error: logLevel: this key is there twice/],
  ['a merge of nothing', withModel('groups: { <<: *gone }'), /error: .*no anchor &gone above/],
  ['an anchor in itself', withModel('groups: &g { a: *g }'), /\*g is inside of what it stands for/],
  ['a macro that is itself', withModel('macros: { a: "${a}" }'), /^1:15: error: macros\.a: the macro a uses itself/],
  [
    'macros in a circle over a model',
    'macros: { a: 1, b: "${a}" }\nmodels: { m: { macros: { a: "${b}" }, cmd: "x ${PORT} ${a}" } }',
    /uses itself by way of/,
  ],
  [
    'an unset variable',
    withModel('logLevel: ${env.NOT_SET}'),
    /^1:11: error: logLevel: the environment variable NOT_SET/,
  ],
  ['a page of the web', '<!doctype html>\n<html><body>Not found</body></html>', /^1:1: error: expected a map of keys/],
  ['JSON with a comma too many', '{"models": {"a": {"cmd": "x ${PORT}",},,}}', /^1:\d+: error: not valid YAML/],
]

t.test('each kind of bad file is told at its place', async (t) => {
  for (const [what, text, first] of broken) {
    t.equal(
      issuesOf(text).some((line) => first.test(line)),
      true,
      `${what}: ${issuesOf(text).slice(0, 3).join(' · ')}`,
    )
  }
})

/** No machine is so slow; what grows with the square of the length would take minutes. */
const LIMIT_MS = 5_000

const bomb = (): string => {
  const lines = ['l0: &l0 [x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 10; level += 1) {
    lines.push(`l${level}: &l${level} [${Array.from({ length: 9 }, () => `*l${level - 1}`).join(', ')}]`)
  }
  return lines.join('\n')
}

const large: readonly (readonly [what: string, text: string, first: RegExp])[] = [
  ['ten megabytes of comments', `# ${'x'.repeat(1022)}\n`.repeat(10_240), /a configuration may have/],
  [
    'ten megabytes of models',
    `models:\n${'  abc: { cmd: "x ${PORT}" }\n'.repeat(370_000)}`,
    /a configuration may have/,
  ],
  [
    'as many lines as may be',
    `models:\n${'  a: 1\n'.repeat(Math.floor(MAX_CONFIG_LENGTH / 8))}`,
    /may hold|twice|values/,
  ],
  ['an alias bomb', bomb(), /aliases followed/],
  [
    'a macro bomb',
    `macros:\n  m0: "${'x'.repeat(64)}"\n${Array.from({ length: 40 }, (_, at) => `  m${at + 1}: "\${m${at}}\${m${at}}"\n`).join('')}models: { a: { cmd: "x \${PORT} \${m40}" } }`,
    /macros make more than/,
  ],
]

t.test('large and dense files are answered in bounded time', async (t) => {
  for (const [what, text, first] of large) {
    const began = performance.now()
    const issues = issuesOf(text)
    const took = performance.now() - began
    t.equal(
      issues.some((line) => first.test(line)),
      true,
      `${what}: ${issues[0]}`,
    )
    t.ok(took < LIMIT_MS, `${what}: ${Math.round(took)} ms`)
  }
})

t.test('names may be anything that a request can carry', async (t) => {
  const names = [
    'org/model',
    'llama3:8b-q4',
    'mit leer',
    '🦙',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '1.0',
    'null',
    '~',
    '"',
    "it's",
    'a'.repeat(300),
  ]
  const text = `models:\n${names.map((name) => `  ${JSON.stringify(name)}: { cmd: "x \${PORT}", description: "\${MODEL_ID}" }`).join('\n')}\n`
  const { models } = configOf(text)
  t.same(
    models.map(({ id }) => String(id)),
    names,
  )
  t.equal(new Set(models.map(({ port }) => port)).size, names.length)
  for (const name of names) t.equal(modelOf(text, name).description, name)
})

t.test('names of an object’s own are no keys, macros, variables or models that exist by chance', async (t) => {
  for (const name of ['__proto__', 'constructor', 'toString', 'valueOf']) {
    t.match(issuesOf(withModel(`${name}: 1`))[0], /^1:1: error: .*unknown key/, name)
    t.match(issuesOf(withModel(`logLevel: \${${name}}`))[0], /unknown macro/, name)
    t.match(issuesOf(withModel(`logLevel: \${env.${name}}`))[0], /is not set/, name)
    t.match(issuesOf(withModel(`groups: { g: { members: [${name}] } }`))[0], /no model has the id or alias/, name)
    t.match(issuesOf(withModel(`selectors: { s: { strategy: pin, targets: [${name}] } }`))[0], /no model has/, name)
    t.match(
      issuesOf(withModel(`selectors: { s: { strategy: ${name}, targets: [a] } }`))[0],
      /one of pin, warm, spillover/,
      name,
    )
  }
  t.same(
    issuesOf(withModel('macros: { __proto__: x, constructor: y }\nlogTimeFormat: ""')).filter((line) =>
      line.includes('error'),
    ),
    [],
  )
})

t.test('two models that name one port outright are told, when they can run together', async (t) => {
  const two = 'models: { a: { cmd: "x --port 9001" }, b: { cmd: "x --port 9001" } }\n'
  t.same(issuesOf(two), [])
  t.match(issuesOf(`${two}groups: { g: { swap: false, members: [a, b] } }\n`), [
    /port 9001 is also that of the model "a"/,
  ])
})
