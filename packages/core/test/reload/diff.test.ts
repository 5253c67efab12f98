import t from 'tap'
import { diffConfigs, hostId, isSameConfig, type Config } from '../../src/index.ts'
import { configOf } from '../config/reading.ts'

const A = '  a: { cmd: "run a ${PORT}", aliases: [x], env: [K=1, L=2] }\n'
const B = '  b: { cmd: "run b ${PORT}" }\n'
const file = (models: string, rest = ''): Config => configOf(`models:\n${models}${rest}`)
const changesOf = (before: Config, after: Config) => diffConfigs(before, after).models.changed

t.test('tells which models came, went, changed and stayed', async (t) => {
  const changes = diffConfigs(file(A + B), file(`${A.replace('run a', 'run an')}  c: { cmd: "run c \${PORT}" }\n`))
  t.same(changes.models, {
    added: ['c'],
    changed: [{ id: 'a', keys: ['cmd'], restarts: true }],
    removed: ['b'],
    unchanged: [],
  })
  t.notOk(isSameConfig(changes))
})

t.test('a file that says the same in another way changes nothing', async (t) => {
  const again = `# a comment\n  b:\n    cmd: run b \${PORT}\n${A.replace('K=1, L=2', 'L=2, K=1')}`
  const changes = diffConfigs(file(A + B), file(again))
  t.same(changes.models.changed, [])
  t.same(changes.settings, [])
  t.ok(isSameConfig(changes))
})

t.test('comments and line ends in a command start no other process', async (t) => {
  const spread = '  b:\n    cmd: |\n      # the small one\n      run b \\\n        ${PORT}\n'
  t.same(changesOf(file(B), file(spread)), [{ id: 'b', keys: ['cmd'], restarts: false }])
})

/** A change of a model, what it is called, and whether its process restarts for it. */
const CHANGES: readonly (readonly [to: string, key: string, restarts: boolean])[] = [
  ['cmd: "run more ${PORT}"', 'cmd', true],
  ['env: [K=2]', 'env', true],
  ['proxy: "http://127.0.0.1:${PORT}/x"', 'proxy', true],
  ['apiKey: secret', 'apiKey', true],
  ['checkEndpoint: /ready', 'checkEndpoint', false],
  ['healthCheckTimeout: 7', 'healthCheckTimeout', false],
  ['onAgentExit: keep', 'onAgentExit', false],
  ['cmdStop: "kill ${PID}"', 'cmdStop', false],
  ['stopSignal: SIGINT', 'stopSignal', false],
  ['forceKill: false', 'forceKill', false],
  ['hooks: { before: [{ cmd: x }] }', 'hooks', false],
  ['unloadTimeout: 3', 'unloadTimeout', false],
  ['name: n', 'name', false],
  ['description: d', 'description', false],
  ['aliases: [y]', 'aliases', false],
  ['unlisted: true', 'unlisted', false],
  ['useModelName: u', 'useModelName', false],
  ['filters: { stripParams: top_k }', 'filters', false],
  ['ttl: 9', 'ttl', false],
  ['restoreAfter: 9', 'restoreAfter', false],
  ['concurrencyLimit: 2', 'concurrencyLimit', false],
  ['queueLimit: 2', 'queueLimit', false],
  ['pinned: true', 'pinned', false],
  ['priority: 3', 'priority', false],
  ['criticality: critical', 'criticality', false],
  ['sendLoadingState: true', 'sendLoadingState', false],
  ['heartbeat: true', 'heartbeat', false],
  ['maxWait: 30', 'maxWait', false],
  ['metadata: { a: { b: 1 } }', 'metadata', false],
  ['capabilities: { tools: true }', 'capabilities', false],
  ['memory: 1GiB', 'memory', false],
  ['compat: { ignoreWebsockets: true }', 'compat.ignoreWebsockets', false],
]

t.test('says for each key whether the process restarts', async (t) => {
  const plain = configOf('models: { m: { cmd: "run ${PORT}" } }')
  for (const [to, key, restarts] of CHANGES) {
    const cmd = to.startsWith('cmd:') ? '' : 'cmd: "run ${PORT}", '
    const changed = configOf(`models: { m: { ${cmd}${to} } }`)
    t.same(changesOf(plain, changed), [{ id: 'm', keys: [key], restarts }], key)
    t.same(changesOf(changed, plain), [{ id: 'm', keys: [key], restarts }], `${key}, back`)
  }
})

/** Lines that change a setting, and what it is called. */
const SETTINGS: readonly (readonly [lines: string, name: string])[] = [
  ['maxQueued: 5', 'maxQueued'],
  ['queueTimeoutMs: 5', 'queueTimeoutMs'],
  ['drainTimeoutMs: never', 'drainTimeoutMs'],
  ['maxBodyBytes: 1MiB', 'maxBodyBytes'],
  ['maxUploadBytes: 1MiB', 'maxUploadBytes'],
  ['waitingBodyMemory: 1MiB', 'waitingBodyMemory'],
  ['waitingBodyDisk: 1MiB', 'waitingBodyDisk'],
  ['apiKeys: [k]', 'apiKeys'],
  ['cors: ["http://x"]', 'cors'],
  ['allowedHosts: [x]', 'allowedHosts'],
  ['includeAliasesInList: true', 'includeAliasesInList'],
  ['logLevel: debug', 'logLevel'],
  ['logTimeFormat: kitchen', 'logTimeFormat'],
  ['logToStdout: both', 'logToStdout'],
  ['upstream: { ignorePaths: [x] }', 'upstream.ignorePaths'],
  ['devices: { gpu0: 8GiB }', 'devices'],
  ['routing: { picker: { use: least-loaded } }', 'routing.picker'],
  ['routing: { scheduler: { settings: { serial: { agingSeconds: 3 } } } }', 'routing.scheduler'],
  ['routing: { router: { use: group } }', 'routing.router.use'],
]

t.test('says which settings changed, and that none of them needs a restart', async (t) => {
  const plain = file(A + B)
  for (const [lines, name] of SETTINGS) {
    const changes = diffConfigs(plain, file(A + B, `${lines}\n`))
    t.same([changes.settings, changes.needsRestart], [[name], []], name)
    t.same(changes.models.unchanged, ['a', 'b'])
  }
  t.same(diffConfigs(plain, file(A + B, 'groups: { g: { members: [a] } }\n')).settings, [
    'routing.router.use',
    'groups',
  ])
  const matrix = file(A + B, 'matrix: { sets: { s: a & b } }\n')
  t.same(diffConfigs(plain, matrix).settings, ['routing.router.use', 'matrix'])
  t.same(diffConfigs(matrix, file(A + B, 'matrix: { sets: { s: a | b } }\n')).settings, ['matrix'])
})

t.test('a default for all models is a change of those that it changes', async (t) => {
  const changes = diffConfigs(file(A + B), file(A + B.replace('{ ', '{ ttl: 0, '), 'globalTTL: 60\n'))
  t.same(changes.models.changed, [{ id: 'a', keys: ['ttl'], restarts: false }])
})

/** One model on these hosts, with one more key. */
const modelOn = (hosts: readonly string[], more: string): Config => {
  const config = file(`  a: { cmd: "run \${PORT}", ${more} }\n`)
  return { ...config, models: config.models.map((model) => Object.assign({}, model, { hosts: hosts.map(hostId) })) }
}

t.test('what runs at agents only goes by their own files', async (t) => {
  const between = (hosts: readonly string[], more: string) => changesOf(modelOn(hosts, ''), modelOn(hosts, more))
  const [env, ttl] = ['env: [K=2]', 'ttl: 9']
  t.same(between(['gpu'], env), [{ id: 'a', keys: ['env'], restarts: false, elsewhere: true }])
  t.same(between(['gpu'], 'cmdStop: x'), [{ id: 'a', keys: ['cmdStop'], restarts: false, elsewhere: true }])
  t.same(between(['gpu'], ttl), [{ id: 'a', keys: ['ttl'], restarts: false }])
  t.same(between(['local', 'gpu'], env), [{ id: 'a', keys: ['env'], restarts: true }])
  const ofAgent = diffConfigs(modelOn(['gpu'], ''), modelOn(['gpu'], env), true).models.changed
  t.same(ofAgent, [{ id: 'a', keys: ['env'], restarts: true }], 'an agent runs what has a command')
})

t.test('another startPort is a setting, and restarts nothing that runs', async (t) => {
  const changes = diffConfigs(file(A + B), file(A + B, 'startPort: 9000\n'))
  t.same(changes.settings, ['startPort'])
  t.same(changes.models.unchanged, ['a', 'b'])
})

t.test('tells names and no secret', async (t) => {
  const changes = diffConfigs(file(A), file(A.replace('K=1', 'K=sk-123'), 'apiKeys: [sk-456]\n'))
  t.notMatch(JSON.stringify(changes), /sk-/)
})
