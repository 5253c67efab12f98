import t from 'tap'
import { configOf, issuesOf, modelOf, modelWith, withModel } from './reading.ts'

t.test('a map without effect is checked, too', async (t) => {
  t.same(issuesOf(modelWith('compat: { ignoreWebsocket: true }')), [
    '4:15: error: models.a.compat.ignoreWebsocket: unknown key "ignoreWebsocket"; valid are ignoreWebsockets (did you mean ignoreWebsockets?)',
  ])
  t.same(issuesOf(modelWith('filters: { stripParam: x }')), [
    '4:16: error: models.a.filters.stripParam: unknown key "stripParam"; valid are stripParams, strip_params, setParams, set_params, setParamsByID (did you mean stripParams?)',
  ])
})

t.test('all mistakes are told, in the order of the file', async (t) => {
  const text = [
    'logLevel: loud',
    'models:',
    '  a:',
    '    ttl: soon',
    '    tll: 5',
    '  b:',
    '    cmd: x "',
    '    aliases: [1, [], c]',
    'groups:',
    '  g: { members: [c, d] }',
    'strartPort: 1',
  ].join('\n')
  t.same(
    issuesOf(text).map((line) => line.split(' ').slice(0, 3).join(' ')),
    [
      '1:11: error: logLevel:',
      '3:3: error: models.a.cmd:',
      '4:10: error: models.a.ttl:',
      '5:5: error: models.a.tll:',
      '7:10: error: models.b.cmd:',
      '8:18: error: models.b.aliases[1]:',
      '10:21: error: groups.g.members[1]:',
      '11:1: error: strartPort:',
    ],
  )
})

t.test('secrets do not appear in messages', async (t) => {
  const env = { KEY: 'sk-secret' }
  const texts = [
    withModel('apiKeys: sk-secret'),
    withModel('apiKeys: ["sk-secret with blanks"]'),
    modelWith('apiKey: [sk-secret]'),
    modelWith('ttl: ${env.KEY}'),
    modelWith('proxy: ${env.KEY}'),
  ]
  for (const text of texts) {
    const lines = issuesOf(text, env).join('\n')
    t.match(lines, 'error')
    t.notMatch(lines, 'secret')
  }
})

t.test('a key without content is as good as none', async (t) => {
  const model = modelOf(modelWith('ttl:', 'aliases:', 'proxy: ~', 'name: null'), 'a')
  t.match(model, { idleMs: undefined, aliases: [], proxy: undefined, name: undefined })
})

t.test('numbers are text where text is wanted, as they are written', async (t) => {
  const model = modelOf(modelWith('name: 4.0', 'description: 0x10', 'aliases: [007, 1e3, true]'), 'a')
  t.match(model, { name: '4.0', description: '0x10', aliases: ['007', '1e3', 'true'] })
})

t.test('the switches of older YAML are switches', async (t) => {
  const switches = ['yes', 'no', 'on', 'Off', 'true', 'FALSE']
  t.same(
    switches.map((word) => modelOf(modelWith(`unlisted: ${word}`), 'a').unlisted),
    [true, false, true, false, true, false],
  )
})

t.test('any text is a safe model id', async (t) => {
  const ids = [
    '__proto__',
    'constructor',
    'toString',
    'llama 3:8b/q4',
    '🦙',
    'a.b',
    '1.0',
    '10',
    '9',
    'null',
    '[x]',
    "it's",
  ]
  const text = `models:\n${ids.map((id) => `  ${JSON.stringify(id)}: { cmd: "x --port \${PORT}", name: "\${MODEL_ID}", ttl: 5 }`).join('\n')}`
  const { models } = configOf(text)
  t.same(
    models.map(({ id }) => id),
    ids,
    'in the order of the file',
  )
  t.ok(models.every(({ id, name, idleMs }) => name === id && idleMs === 5000))
  t.equal(new Set(models.map(({ port }) => port)).size, ids.length)
  t.equal(({} as Record<string, unknown>)['cmd'], undefined, 'no prototype was touched')
})

t.test('names of prototypes are safe in groups, priorities and env, too', async (t) => {
  const config = configOf(
    [
      'models: { __proto__: { cmd: "x ${PORT}", env: [__proto__=1] } }',
      'groups: { __proto__: { members: [__proto__] } }',
      'routing: { scheduler: { settings: { fifo: { priority: { __proto__: 3 } } } } }',
    ].join('\n'),
  )
  t.same(config.groups[0]?.id, '__proto__')
  t.same(config.groups[0]?.members, ['__proto__'])
  t.equal(config.models[0]?.fifoPriority, 3)
  t.same(Object.entries(config.models[0]?.env ?? {}), [['__proto__', '1']])
})

t.test('a plain key keeps its spelling', async (t) => {
  t.same(
    configOf('models:\n  1.0: { cmd: "x ${PORT}" }\n  1: { cmd: "x ${PORT}" }\n  ~: { cmd: "x ${PORT}" }').models.map(
      ({ id }) => id,
    ),
    ['1.0', '1', '~'],
  )
})
