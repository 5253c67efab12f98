import * as fc from 'fast-check'
import t from 'tap'
import { stringify } from 'yaml'
import { splitCommand } from '../../src/config/command-line.ts'
import { formatIssue } from '../../src/config/issue.ts'
import { readConfig } from '../../src/config/read-config.ts'

const KEYS = [
  'models',
  'groups',
  'routing',
  'router',
  'settings',
  'scheduler',
  'fifo',
  'priority',
  'macros',
  'members',
  'use',
  'matrix',
  'vars',
  'sets',
  'evict_costs',
  'devices',
  'local',
  'serial',
  'picker',
]
const MODEL_KEYS = [
  'cmd',
  'cmdStop',
  'proxy',
  'ttl',
  'env',
  'aliases',
  'name',
  'filters',
  'metadata',
  'memory',
  '<<',
  '__proto__',
  'a',
  'b',
]
const TEXTS = [
  '${a}',
  '${PORT}',
  '${env.HOME}',
  '${env.NO}',
  'x --port ${PORT}',
  'a',
  'b',
  "'",
  'A=1',
  'http://localhost:1',
  'group',
  'matrix',
  'memory',
  'a & (b | +a)',
  '18GiB',
]

/** Characters that mean something to YAML and to a shell, and some that do not. */
const YAML = 'abx01:,-[]{}&*!|>\'"#%@`? \n\t\\$<~'.split('')
const SHELL = ['🦙', ...'ab \t\n\'"\\#$`-=é'.split('')]

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const key = fc.oneof(fc.constantFrom(...KEYS, ...MODEL_KEYS), fc.string({ maxLength: 6 }))
const leaf = fc.oneof(fc.constantFrom<unknown>(...TEXTS, null, true, -1, 0, 60), fc.string(), fc.double(), fc.integer())
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    leaf,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
  ),
}))
const file = fc.dictionary(fc.constantFrom(...KEYS), tree, { maxKeys: 5 })

/** What holds for any text: an answer, with places that are in the text and in order. */
const holds = (text: string): boolean => {
  const reading = readConfig(text, { file: 'c.yaml', env: { HOME: '/me' } })
  const issues = reading.ok ? reading.warnings : reading.issues
  const lines = text.split('\n')
  const inText = issues.every(({ line, column }) => column >= 1 && column <= (lines[line - 1] ?? '').length + 1)
  const inOrder = issues.every((issue, index) => index === 0 || issue.line >= (issues[index - 1]?.line ?? 0))
  const told = reading.ok || issues.some(({ severity }) => severity === 'error')
  const oneLine = issues.every((issue) => !/[\n\r]/.test(formatIssue(issue)))
  return inText && inOrder && told && oneLine
}

t.test('any text gets an answer', async (t) => {
  const yamlish = fc.string({ unit: fc.constantFrom(...YAML), maxLength: 60 })
  t.doesNotThrow(() =>
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), yamlish), holds), { numRuns: 3000 }),
  )
})

t.test('any YAML of plausible keys gets an answer', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(file, (value) => holds(stringify(value))),
      { numRuns: 2000 },
    ),
  )
})

t.test('a file cut anywhere gets an answer', async (t) => {
  const whole = stringify({
    macros: { bin: 'engine --port ${PORT}' },
    models: { a: { cmd: '${bin} -m "x y"', aliases: ['x'], ttl: 5 }, b: { cmd: '${bin}\n  # c\n' } },
    groups: { g: { members: ['a', 'b'] } },
  })
  t.ok(readConfig(whole, { file: 'c.yaml', env: {} }).ok)
  for (let length = 0; length < whole.length; length += 1) t.ok(holds(whole.slice(0, length)), `${length} characters`)
})

t.test('quoting words and splitting them gives the words', async (t) => {
  const word = fc.string({ unit: fc.constantFrom(...SHELL) })
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const back = splitCommand(words.map((text) => quote(text)).join(' '))
        return back.length === words.length && back.every((text, index) => text === words[index])
      }),
    ),
  )
})
