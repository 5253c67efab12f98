import t from 'tap'
import { issuesOf, modelWith } from './reading.ts'

const mistakes: readonly (readonly [string, string, readonly string[]])[] = [
  ['no models', 'logLevel: info', ['1:1: error: models: no models are configured']],
  ['models without content', 'logLevel: info\nmodels:\n', ['2:1: error: models: no models are configured']],
  ['an empty map of models', 'models: {}', ['1:1: error: models: no models are configured']],
  ['a model without content', 'models:\n  a:\n', ['2:5: error: models.a: expected a map, found nothing']],
  [
    'no blank behind a colon',
    'models:\n  a:\n    cmd:x --port ${PORT}\n',
    ['3:5: error: models.a: expected a map, found the text "cmd:x --port ${PORT}"; a blank is missing behind `cmd:`'],
  ],
  [
    'models under an unknown key, of which only that is told',
    'model:\n  a:\n    cmd: x --port ${PORT} ${nope}\n',
    ['1:1: error: model: unknown key "model" (did you mean models?)', '1:1: error: models: no models are configured'],
  ],
  [
    'a command under an unknown key',
    'models:\n  a:\n    cmdd: x --port ${PORT}\n',
    [
      '2:3: error: models.a.cmd: the command is missing',
      '3:5: error: models.a.cmdd: unknown key "cmdd" (did you mean cmd?)',
    ],
  ],
  ['a list of models', 'models:\n  - cmd: x --port ${PORT}\n', ['2:3: error: models: expected a map, found a list']],
  ['no command', 'models:\n  a:\n    ttl: 1\n', ['2:3: error: models.a.cmd: the command is missing']],
  ['a command without content', 'models:\n  a:\n    cmd:\n', ['3:5: error: models.a.cmd: the command is missing']],
  ['an empty command', 'models:\n  a:\n    cmd: ""\n', ['3:10: error: models.a.cmd: the command is empty']],
  [
    'a command of comments',
    'models:\n  a:\n    cmd: |\n      # x\n',
    ['3:10: error: models.a.cmd: the command is empty'],
  ],
  [
    'a quote that is not closed',
    "models:\n  a:\n    cmd: x --port ${PORT} 'y\n",
    ["3:10: error: models.a.cmd: the quote ' in line 1 of the command is not closed"],
  ],
  [
    'the same in cmdStop',
    modelWith("cmdStop: 'kill \"'"),
    ['4:14: error: models.a.cmdStop: the quote " in line 1 of the command is not closed'],
  ],
  [
    'no way to find the engine',
    'models:\n  a:\n    cmd: engine\n',
    [
      '3:10: error: models.a.cmd: nothing says where the engine listens: give the command `--port ${PORT}`, or set `proxy`',
    ],
  ],
  [
    'a port that the command is not told',
    'models:\n  a:\n    cmd: engine\n    proxy: http://localhost:${PORT}\n',
    [
      '3:10: error: models.a.cmd: nothing says where the engine listens: give the command `--port ${PORT}`, or set `proxy`',
    ],
  ],
  [
    'an empty id',
    'models:\n  "": { cmd: "x ${PORT}" }\n',
    ['2:3: error: models[""]: a model id must not be empty or hold control characters'],
  ],
  [
    'an id with a line end',
    'models:\n  "a\\nb": { cmd: "x ${PORT}" }\n',
    ['2:3: error: models["a\\nb"]: a model id must not be empty or hold control characters'],
  ],
]

t.test('mistakes in models', async (t) => {
  for (const [name, text, lines] of mistakes) t.same(issuesOf(text), lines, name)
})

t.test('the engine may be told its port in other ways', async (t) => {
  const texts = [
    'cmd: engine --port 9001',
    'cmd: engine --port=9001',
    'cmd: engine\n    proxy: http://localhost:9001',
    'cmd: engine\n    env: ["LLAMA_ARG_PORT=${PORT}"]',
  ]
  for (const text of texts) t.same(issuesOf(`models:\n  a:\n    ${text}\n`), [], text)
})

t.test('a thousand models have ports, the next is one too many', async (t) => {
  const models = Array.from(
    { length: 1001 },
    (_, index) => `  m${String(index).padStart(4, '0')}: { cmd: "x \${PORT}" }`,
  )
  t.same(issuesOf(`models:\n${models.join('\n')}`), ['1002:3: error: models.m1000: there may be 1000 models'])
})
