import t from 'tap'
import { configOf, issuesOf, modelOf, modelWith, withModel } from './reading.ts'

t.test('a model with nothing but a command has the defaults', async (t) => {
  const { port, ...model } = modelOf(modelWith(), 'a')
  t.same(model, {
    id: 'a',
    name: undefined,
    description: undefined,
    cmd: 'engine --port ${PORT}',
    cmdStop: undefined,
    proxy: undefined,
    checkEndpoint: '/health',
    healthCheckTimeoutMs: 120_000,
    unloadTimeoutMs: 10_000,
    stopSignal: 'SIGTERM',
    onAgentExit: 'stop',
    env: {},
    aliases: [],
    unlisted: false,
    useModelName: undefined,
    filters: { stripParams: [], setParams: [], setParamsById: [] },
    idleMs: undefined,
    concurrencyLimit: undefined,
    queueLimit: 512,
    pinned: false,
    hosts: ['local'],
    fifoPriority: 0,
    priority: 0,
    criticality: undefined,
    sendLoadingState: false,
    heartbeat: undefined,
    metadata: undefined,
    capabilities: undefined,
    memory: undefined,
  })
  t.equal(port, 6020)
})

t.test('every key of a model that lswap acts on arrives', async (t) => {
  const text = modelWith(
    'cmdStop: "kill ${PID}"',
    'proxy: http://127.0.0.1:${PORT}/base',
    'checkEndpoint: none',
    'ttl: 30',
    'unloadTimeout: 3',
    'healthCheckTimeout: 2',
    'aliases: [x, "y z"]',
    'env: ["A=1", "B=x=y", "C=", "A=2"]',
    'unlisted: true',
    'name: A model',
    'description: of mine',
    'concurrencyLimit: 3',
    'queueLimit: 7',
    'pinned: true',
    'stopSignal: SIGINT',
    'onAgentExit: keep',
    'priority: -5',
    'criticality: standard',
    'sendLoadingState: true',
    'heartbeat: false',
    'metadata: { port: "${PORT}", deep: [1, { a: null }] }',
    'capabilities: { out: [audio] }',
  )
  t.same(issuesOf(text), [], 'and no warning')
  t.match(modelOf(text, 'a'), {
    cmdStop: 'kill ${PID}',
    proxy: 'http://127.0.0.1:${PORT}/base',
    checkEndpoint: 'none',
    idleMs: 30_000,
    unloadTimeoutMs: 3000,
    healthCheckTimeoutMs: 2000,
    aliases: ['x', 'y z'],
    priority: -5,
    criticality: 'standard',
    env: { A: '2', B: 'x=y', C: '' },
    unlisted: true,
    name: 'A model',
    description: 'of mine',
    concurrencyLimit: 3,
    queueLimit: 7,
    pinned: true,
    stopSignal: 'SIGINT',
    onAgentExit: 'keep',
    sendLoadingState: true,
    heartbeat: false,
    metadata: { port: 6020, deep: [1, { a: null }] },
    capabilities: { in: [], out: ['audio'], tools: false, reranker: false, context: 0 },
  })
})

const told = (top: string, ...own: readonly string[]): readonly unknown[] => {
  const { sendLoadingState, heartbeat } = modelOf(`${top}\n${modelWith(...own)}`, 'a')
  return [sendLoadingState, heartbeat]
}

t.test('what a waiting stream hears: a model has the global answer unless it has its own', async (t) => {
  t.same(told(''), [false, undefined])
  t.same(told('sendLoadingState: true\nheartbeat: true'), [true, true])
  t.same(told('sendLoadingState: true\nheartbeat: true', 'sendLoadingState: false', 'heartbeat: false'), [false, false])
  t.same(told('', 'sendLoadingState: true', 'heartbeat: true'), [true, true])
})

const limit = (top: string, ...own: readonly string[]) => modelOf(`${top}\n${modelWith(...own)}`, 'a').maxWaitMs

t.test('how long a request waits that hears nothing: a model has the global limit unless it has its own', async (t) => {
  t.equal(limit(''), undefined)
  t.equal(limit('maxWait: 30'), 30_000)
  t.equal(limit('maxWait: 30', 'maxWait: 5'), 5_000)
  t.equal(limit('maxWait: 30', 'maxWait: 0'), undefined)
})

t.test('SIGKILL can be forbidden, and then it is no stop signal', async (t) => {
  t.equal(modelOf(modelWith('forceKill: false'), 'a').forceKill, false)
  t.notOk(Object.hasOwn(modelOf(modelWith('forceKill: true'), 'a'), 'forceKill'))
  t.match(issuesOf(modelWith('forceKill: false', 'stopSignal: SIGKILL')), [
    /error: models\.a\.stopSignal: forceKill: false forbids SIGKILL/,
  ])
})

t.test('commands around a load have a time and a policy of their own', async (t) => {
  const hooks = 'hooks: { before: [{ cmd: "mount x", timeout: 5, required: true }], after: [{ cmd: warm }] }'
  t.same(modelOf(modelWith(hooks), 'a').hooks, {
    before: [{ cmd: 'mount x', timeoutMs: 5_000, required: true }],
    after: [{ cmd: 'warm', timeoutMs: 30_000, required: false }],
  })
  t.equal(modelOf(modelWith('hooks: { before: [] }'), 'a').hooks, undefined)
  t.match(issuesOf(modelWith('hooks: { before: [{ timeout: 5 }], after: [{ cmd: "a \'b" }] }')), [
    /error: models\.a\.hooks\.before\[0\]\.cmd: the command is missing/,
    /error: models\.a\.hooks\.after\[0\]\.cmd: /,
  ])
})

t.test('restoreAfter makes a ttl of the same model void, and says so', async (t) => {
  t.equal(modelOf(modelWith('restoreAfter: 60'), 'a').restoreMs, 60_000)
  t.equal(modelOf(modelWith('restoreAfter: 0'), 'a').restoreMs, undefined)
  t.match(issuesOf(modelWith('restoreAfter: 60', 'ttl: 5')), [/warning: models\.a\.ttl: .*does not count/])
  t.same(issuesOf(`globalTTL: 5\n${modelWith('restoreAfter: 60')}`), [])
})

t.test('metadata and capabilities that say nothing are none', async (t) => {
  t.match(modelOf(modelWith('metadata: {}', 'capabilities: { in: [], tools: false, context: 0 }'), 'a'), {
    metadata: undefined,
    capabilities: undefined,
  })
  t.match(issuesOf(modelWith('metadata: { a: .inf }')), [/error: models\.a\.metadata\.a: JSON has no \.inf/])
})

const idle = (globalTTL: number, ttl: string): number | undefined =>
  modelOf(`globalTTL: ${globalTTL}\n${modelWith(ttl)}`, 'a').idleMs

t.test('ttl: -1 and nothing take the global one, 0 is never', async (t) => {
  t.equal(idle(60, ''), 60_000)
  t.equal(idle(60, 'ttl: -1'), 60_000)
  t.equal(idle(60, 'ttl: 0'), undefined)
  t.equal(idle(60, 'ttl: 5'), 5000)
  t.equal(idle(0, ''), undefined)
  t.equal(idle(0, 'ttl: 5'), 5000)
})

const timeouts = (top: string, ...own: readonly string[]): readonly number[] => {
  const model = modelOf(`${top}\n${modelWith(...own)}`, 'a')
  return [model.healthCheckTimeoutMs / 1000, model.unloadTimeoutMs / 1000]
}

t.test('timeouts: a model without its own has the global one, 0 is none', async (t) => {
  t.same(timeouts('healthCheckTimeout: 50\nunloadTimeout: 20'), [50, 20])
  t.same(timeouts('healthCheckTimeout: 50\nunloadTimeout: 20', 'healthCheckTimeout: 0', 'unloadTimeout: 0'), [50, 20])
  t.same(timeouts('healthCheckTimeout: 50\nunloadTimeout: 20', 'healthCheckTimeout: 1', 'unloadTimeout: 2'), [1, 2])
  t.same(timeouts('unloadTimeout: 0'), [120, 10], 'as in llama-swap')
  t.same(timeouts('healthCheckTimeout: 3'), [15, 10])
  t.match(issuesOf(withModel('healthCheckTimeout: 3')), [/^1:21: warning: healthCheckTimeout: raised to 15 seconds/])
})

t.test('an empty text is as good as none', async (t) => {
  t.match(modelOf(modelWith('cmdStop: ""', 'name: ""', 'description: ""', 'concurrencyLimit: 0'), 'a'), {
    cmdStop: undefined,
    name: undefined,
    description: undefined,
    concurrencyLimit: undefined,
  })
})

t.test('a check endpoint is a path', async (t) => {
  t.equal(modelOf(modelWith('checkEndpoint: v1/models'), 'a').checkEndpoint, '/v1/models')
  t.equal(modelOf(modelWith('checkEndpoint: /ready?x=1'), 'a').checkEndpoint, '/ready?x=1')
})

t.test('models keep the order of the file', async (t) => {
  const { models } = configOf(
    'models:\n  z: { cmd: "x ${PORT}" }\n  10: { cmd: "x ${PORT}" }\n  b: { cmd: "x ${PORT}" }',
  )
  t.same(
    models.map(({ id }) => id),
    ['z', '10', 'b'],
  )
})

t.test('a port does not move when a model is added', async (t) => {
  const one = modelOf(modelWith(), 'a').port
  t.equal(modelOf(`${modelWith()}\n  0: { cmd: "x \${PORT}" }`, 'a').port, one)
  t.equal(modelOf(`startPort: 9000\n${modelWith()}`, 'a').port, one + 3200)
})

const mistakes: readonly (readonly [string, string, readonly string[]])[] = [
  ['no models', 'logLevel: info', ['1:1: error: models: no models are configured']],
  ['models without content', 'logLevel: info\nmodels:\n', ['2:1: error: models: no models are configured']],
  ['an empty map of models', 'models: {}', ['1:1: error: models: no models are configured']],
  ['a model without content', 'models:\n  a:\n', ['2:5: error: models.a: expected a map, found nothing']],
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

t.test('a limit that no timer can hold waits as long as one can, and does not end at once', async (t) => {
  const model = modelOf(withModel('healthCheckTimeout: 9999999\nunloadTimeout: 1000000000'), 'a')
  t.match(model, { healthCheckTimeoutMs: 2_073_600_000, unloadTimeoutMs: 2_073_600_000 })
  t.ok(model.unloadTimeoutMs + 60_000 < 2 ** 31, 'with room for what is added to it')
})
