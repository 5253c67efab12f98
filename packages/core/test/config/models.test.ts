import t from 'tap'
import { configOf, issuesOf, modelOf, modelWith } from './reading.ts'

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
