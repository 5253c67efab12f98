import t from 'tap'
import { issuesOf } from './reading.ts'

const MODEL = 'models:\n  a:\n    cmd: x --port ${PORT}\n'
const SINGLE_LINE = 'not valid YAML: Implicit keys need to be on a single line'
const COMPACT = 'not valid YAML: Nested mappings are not allowed in compact mappings'

/** What is written often and is no YAML, and what is said of it. */
const slips: readonly (readonly [string, string, string])[] = [
  [
    'no blank behind a colon, and a line below',
    'models:\n  a:\n    cmd:x --port 1\n    ttl: 5\n',
    `3:5: error: ${SINGLE_LINE}; a blank is missing behind \`cmd:\``,
  ],
  [
    'no blank behind the last colon',
    `${MODEL}    ttl:600\n`,
    '4:5: error: not valid YAML: Implicit map keys need to be followed by map values; a blank is missing behind `ttl:`',
  ],
  ['no colon', 'models\n  a:\n    cmd: x\n', `1:1: error: ${SINGLE_LINE}; a colon is missing behind \`models\``],
  [
    'a block that is not indented',
    'models:\r\n  a:\r\n    cmd: |\r\n    x --port 1\r\n      -m y\r\n',
    `4:5: error: ${SINGLE_LINE}; the lines of a text behind \`|\` or \`>\` are indented deeper than its key`,
  ],
  [
    'a colon in a text',
    `${MODEL}    name: foo: bar\n`,
    `4:11: error: ${COMPACT}; a text with a colon and a blank in it needs quotes`,
  ],
  [
    'a line that is indented too far',
    `${MODEL}      ttl: 5\n`,
    `3:10: error: ${COMPACT}; the line below is indented too far, or a colon is missing`,
  ],
  [
    'a character that begins something else',
    `${MODEL}    name: @home\n`,
    '4:11: error: not valid YAML: Plain value cannot start with reserved character @; it needs quotes',
  ],
  [
    'a path of Windows in double quotes',
    'models:\n  a:\n    cmd: "C:\\models --port 1"\n',
    '3:13: error: not valid YAML: Invalid escape sequence \\m; in single quotes a backslash is only itself',
  ],
]

t.test('of what is often written wrong it is said how it is written right', async (t) => {
  for (const [name, text, line] of slips) t.same(issuesOf(text), [line], name)
})

t.test('an address is no key without a blank', async (t) => {
  t.equal(issuesOf('models: http://x\n')[1], '1:9: error: models: expected a map, found the text "http://x"')
})
