import t from 'tap'
import { splitCommand } from '../../src/config/command-line.ts'
import { issuesOf, modelOf } from './reading.ts'

const file = (macros: string, model: string): string =>
  `macros: ${macros}\nmodels:\n  a: { cmd: "x --port \${PORT}", ${model} }\n`
const nameOf = (macros: string, model: string, env: Record<string, string> = {}): string | undefined =>
  modelOf(file(macros, model), 'a', env).name

t.test('macros of the file and of the model, the latter win', async (t) => {
  t.equal(nameOf('{ m: one }', 'name: "<${m}>"'), '<one>')
  t.equal(nameOf('{ m: one }', 'name: "<${m}>", macros: { m: two }'), '<two>')
  t.equal(nameOf('{ m: 4096, n: true, f: 0.5 }', 'name: "${m} ${n} ${f}"'), '4096 true 0.5')
  t.equal(nameOf('{ m: one, n: "${m} and ${m}" }', 'name: "${n}"'), 'one and one')
  t.equal(
    nameOf('{ m: one, n: "<${m}>" }', 'name: "${n}", macros: { m: two }'),
    '<two>',
    'also in the macros of the file',
  )
  t.equal(nameOf('{ m: one }', 'name: "${n}", macros: { n: "<${m}>" }'), '<one>')
  t.equal(nameOf('{ m: one }', 'name: "${m}", macros: { n: two, m: "<${n}>" }'), '<two>')
  t.equal(nameOf('{ m: "${MODEL_ID}" }', 'name: "${m} ${MODEL_ID}"'), 'a a')
})

t.test('a value that is one macro keeps its type', async (t) => {
  const model = 'ttl: "${t}", unlisted: "${u}", concurrencyLimit: "${c}", name: "${c}"'
  t.match(modelOf(file('{ t: 60, u: true, c: 4, d: "${t}" }', model), 'a'), {
    idleMs: 60_000,
    unlisted: true,
    concurrencyLimit: 4,
    name: '4',
  })
  t.equal(modelOf(file('{ t: 60, d: "${t}" }', 'ttl: "${d}"'), 'a').idleMs, 60_000, 'through macros')
  t.same(issuesOf(file('{ t: 6 }', 'ttl: "${t}0"')), [
    '3:38: error: models.a.ttl: expected a whole number of seconds, from -1 to 1000000000, found the text "60"',
  ])
})

t.test('MODEL_ID stays a part of its word in a command, whatever the id holds', async (t) => {
  const ids = ['Qwen 3 (Q4)', `it's "quoted" $HOME \\ x`, '# no comment', 'org/qwen:q4', "'", '"', '`id`']
  for (const id of ids) {
    const cmd = [
      '${MODEL_ID}',
      'x --port 1 --alias=${MODEL_ID}',
      '"is ${MODEL_ID}"',
      "'<${MODEL_ID}>' ${alias}",
      '# ${MODEL_ID}',
      '${MODEL_ID}',
    ]
    const text = `macros: { alias: "-a \${MODEL_ID}" }\nmodels: ${JSON.stringify({ [id]: { cmd: cmd.join('\n'), cmdStop: 'stop ${MODEL_ID} ${PID}' } })}`
    const model = modelOf(text, id)
    const words = [id, 'x', '--port', '1', `--alias=${id}`, `is ${id}`, `<${id}>`, '-a', id, id]
    t.same(splitCommand(model.cmd), words, id)
    t.match(model.cmd, '\n# ${MODEL_ID}\n', 'a comment stays as it is')
    t.same(splitCommand(model.cmdStop ?? ''), ['stop', id, '${PID}'], id)
  }
  t.equal(
    modelOf('models: { "org/q:4": { cmd: "x --port 1 -a ${MODEL_ID}" } }', 'org/q:4').cmd,
    'x --port 1 -a org/q:4',
  )
})

t.test('other macros and variables are text of the command: their blanks part words', async (t) => {
  const text = `macros: { engine: "llama-server --port 1", folder: "/my models" }\nmodels: { a: { cmd: '\${engine} -m "\${folder}/a.gguf" \${env.MORE}' } }`
  const { cmd } = modelOf(text, 'a', { MORE: '-c 9' })
  t.same(splitCommand(cmd), ['llama-server', '--port', '1', '-m', '/my models/a.gguf', '-c', '9'])
})

t.test('what is filled in at start stays', async (t) => {
  const text = [
    'macros: { p: "--port ${PORT}", k: "kill ${PID}" }',
    'models:',
    '  a:',
    '    cmd: x ${p}',
    '    cmdStop: ${k} ${PORT}',
    '    proxy: http://localhost:${PORT}/v1',
    '    env: ["P=${PORT}"]',
    '    name: on ${PORT}',
  ].join('\n')
  const { port, ...model } = modelOf(text, 'a')
  t.match(model, {
    cmd: 'x --port ${PORT}',
    cmdStop: 'kill ${PID} ${PORT}',
    proxy: 'http://localhost:${PORT}/v1',
    env: { P: '${PORT}' },
    name: `on ${port}`,
  })
  t.equal(modelOf(`startPort: 7000\n${text}`, 'a').name, `on ${port + 1200}`)
})

t.test('the environment', async (t) => {
  const env = { HOME: '/me', EMPTY: '', N: '007', SLY: '${m} "\n' }
  t.equal(nameOf('{ m: "${env.HOME}/m" }', 'name: "${m} ${env.HOME}"', env), '/me/m /me')
  t.equal(nameOf('{}', 'name: "<${env.EMPTY}>"', env), '<>', 'empty is set')
  t.equal(nameOf('{ m: one }', 'name: "${env.SLY}"', env), '${m} "\n', 'is not expanded again')
  t.equal(
    modelOf(`models:\n  a:\n    cmd: x --port \${PORT}\n    ttl: \${env.N}\n    name: \${env.N}\n`, 'a', env).idleMs,
    7000,
  )
  t.equal(modelOf(`models:\n  a:\n    cmd: x --port \${PORT}\n    name: \${env.N}\n`, 'a', env).name, '007')
})

t.test('a quoted value from the environment stays text, as in llama-swap', async (t) => {
  t.match(issuesOf(file('{}', 'ttl: "${env.N}"'), { N: '7' }), [
    /models\.a\.ttl: expected a whole number .*, found other text$/,
  ])
})

t.test('macros work all over the file, and in keys', async (t) => {
  const text = [
    'macros: { level: warn, id: big }',
    'logLevel: ${level}',
    'models:',
    '  "${id}-1": { cmd: "x --port ${PORT}", aliases: ["${id}"] }',
    'groups: { g: { members: ["${id}"] } }',
  ].join('\n')
  t.match(modelOf(text, 'big-1'), { aliases: ['big'] })
})

t.test('nothing is expanded in the comment lines of a command, nor what is no macro', async (t) => {
  const text = [
    'macros: { m: one }',
    'models:',
    '  a:',
    '    cmd: |',
    '      # not ${unknown} ${m}',
    '      bash -c "echo ${HOME:-x} ${m} $m ${} ${a b}"',
    '      --port ${PORT}',
    '',
  ].join('\n')
  t.equal(
    modelOf(text, 'a').cmd,
    '# not ${unknown} ${m}\nbash -c "echo ${HOME:-x} one $m ${} ${a b}"\n--port ${PORT}\n',
  )
})

const mistakes: readonly (readonly [string, string, string, readonly string[]])[] = [
  [
    'unknown',
    '{ context: 1 }',
    'name: "<${contxt}>"',
    ['3:41: error: models.a.name: unknown macro ${contxt} (did you mean context?)'],
  ],
  ['unknown in a macro', '{ m: "x ${n}" }', 'name: "${m}"', ['1:17: error: macros.m: unknown macro ${n}']],
  ['itself', '{ m: "x ${m}" }', 'name: "${m}"', ['1:17: error: macros.m: the macro m uses itself']],
  [
    'further down',
    '{ m: "${n}", n: 1 }',
    'name: "${m}"',
    ['1:15: error: macros.m: the macro n is declared further down; a macro may use those before it'],
  ],
  [
    'itself by way of another',
    '{ m: 1, n: "${m}" }',
    'name: "${n}", macros: { m: "${n}" }',
    ['1:20: error: macros.n: the macro n uses itself by way of m'],
  ],
  ["a model's own", '{}', 'macros: { m: "${m}" }', ['3:47: error: models.a.macros.m: the macro m uses itself']],
  [
    'a name that is taken',
    '{ PORT: 1 }',
    'ttl: 1',
    ['1:11: error: macros.PORT: the macro PORT is filled in by lswap and can not be declared'],
  ],
  [
    'a name that is none',
    '{ "a b": 1 }',
    'ttl: 1',
    ['1:11: error: macros["a b"]: a macro\'s name has letters, digits, _ and -, at most 63'],
  ],
  [
    'a name that is too long',
    `{ ${'m'.repeat(64)}: 1 }`,
    'ttl: 1',
    [`1:11: error: macros.${'m'.repeat(64)}: a macro's name has letters, digits, _ and -, at most 63`],
  ],
  [
    'no variable',
    '{}',
    'name: "<${env.NOPE}>"',
    ['3:41: error: models.a.name: the environment variable NOPE is not set'],
  ],
  [
    'a variable that objects inherit',
    '{}',
    'name: "${env.constructor}"',
    ['3:40: error: models.a.name: the environment variable constructor is not set'],
  ],
  [
    'no variable in a macro',
    '{ m: "${env.NOPE}" }',
    'name: "${m}"',
    ['1:15: error: macros.m: the environment variable NOPE is not set'],
  ],
  [
    'PID where there is no process',
    '{}',
    'name: "${PID}"',
    ['3:40: error: models.a.name: ${PID} has a value only in cmdStop'],
  ],
  [
    'PORT in a path',
    '{}',
    'checkEndpoint: "/${PORT}"',
    ['3:50: error: models.a.checkEndpoint: ${PORT} has a value only in cmd, cmdStop, proxy and env'],
  ],
  [
    'MODEL_ID without a model',
    '{}\nlogLevel: "${MODEL_ID}"',
    'ttl: 1',
    ['2:12: error: logLevel: ${MODEL_ID} has a value only inside of a model'],
  ],
  [
    'two in one value',
    '{}',
    'name: "${x} ${y}"',
    ['3:40: error: models.a.name: unknown macro ${x}', '3:45: error: models.a.name: unknown macro ${y}'],
  ],
]

t.test('mistakes with macros, each once and where it is', async (t) => {
  for (const [name, macros, model, lines] of mistakes) t.same(issuesOf(file(macros, model)), lines, name)
})

t.test('a mistake in a block of text is told at its line', async (t) => {
  const text = 'models:\n  a:\n    cmd: |\n      x --port ${PORT}\n      --ctx ${nope}\n'
  t.same(issuesOf(text), ['5:13: error: models.a.cmd: unknown macro ${nope}'])
})

t.test('expansion has bounds', async (t) => {
  const doubling = Array.from({ length: 40 }, (_, n) => `m${n}: "${n === 0 ? 'xx' : `\${m${n - 1}}\${m${n - 1}}`}"`)
  t.match(issuesOf(file(`{ ${doubling.join(', ')} }`, 'name: "${m39}"')), [
    /macros make more than 256 KiB of text out of this$/,
  ])
  const chain = Array.from({ length: 200 }, (_, n) => `m${n}: "${n === 0 ? 'x' : `\${m${n - 1}}`}"`)
  t.match(issuesOf(file(`{ ${chain.join(', ')} }`, 'name: "${m199}"')), [
    /more than 64 macros use one another in a row$/,
  ])
  const many = Array.from({ length: 100 }, (_, n) => `  m${n}: { cmd: "x --port \${PORT}", name: "\${long}" }`)
  t.match(issuesOf(`macros: { long: ${'x'.repeat(250_000)} }\nmodels:\n${many.join('\n')}`), [
    /more than 16 MiB in all/,
  ])
})
