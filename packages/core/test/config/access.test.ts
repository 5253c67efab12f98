import t from 'tap'
import type { ConfigReading } from '../../src/config/reading.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { formatIssue } from '../../src/config/issue.ts'
import { configOf, issuesOf, modelOf, modelWith, withModel } from './reading.ts'

const TWO = 'models: { "org/m:q4": { cmd: "x ${PORT}", aliases: [gpt-4o] }, b: { cmd: "x ${PORT}" } }\n'

t.test('a text is a key with all rights; a section restricts what it names and nothing else', async (t) => {
  const { access } = configOf(
    `apiKeys:
  - sk-1
  - 12345
  - { key: "\${env.APP}", name: app, scopes: [infer], models: ["org/*", nothing-but], maxPriority: 0, concurrency: 2 }
  - { key: sk-4, name: ui.view@home }
${TWO}`,
    { APP: 'sk-app' },
  )
  const all = { scopes: ['infer', 'read', 'admin'], models: undefined, maxPriority: undefined, concurrency: undefined }
  t.same(access.keys, [
    { secret: 'sk-1', name: 'key-1', ...all },
    { secret: '12345', name: 'key-2', ...all },
    { secret: 'sk-app', name: 'app', scopes: ['infer'], models: ['org/m:q4'], maxPriority: 0, concurrency: 2 },
    { secret: 'sk-4', name: 'ui.view@home', ...all },
  ])
})

t.test('patterns match ids and aliases; one that matches nothing is said and reaches nothing', async (t) => {
  const of = (globs: string) => configOf(`apiKeys: [{ key: k, models: ${globs} }]\n${TWO}`).access.keys[0]?.models
  t.same(of('[gpt-4*]'), ['org/m:q4'])
  t.same(of('["*"]'), ['org/m:q4', 'b'])
  t.same(of('[]'), [])
  t.same(of('[c]'), [])
  t.same(issuesOf(`apiKeys: [{ key: k, models: [gpt-4p] }]\n${TWO}`), [
    '1:30: warning: apiKeys[0].models[0]: no model has an id or alias like "gpt-4p" (did you mean gpt-4o?)',
  ])
})

t.test('origins are kept as browsers write them, host names in lower case; without any there are none', async (t) => {
  const text =
    withModel(`cors: ["https://Chat.example:443", "http://localhost:3000", "http://a:80", "app://obsidian.md"]
allowedHosts: [Box.example, "*.lan"]`)
  t.same(configOf(text).access, {
    keys: [],
    cors: ['https://chat.example', 'http://localhost:3000', 'http://a', 'app://obsidian.md'],
    allowedHosts: ['box.example', '*.lan'],
  })
  t.same(configOf(withModel('startPort: 5000')).access, { keys: [], cors: [], allowedHosts: [] })
})

const MISTAKES: readonly (readonly [name: string, text: string, told: readonly string[]])[] = [
  [
    'neither key nor file',
    'apiKeys: [{ name: a }, { key: }]',
    [
      '1:11: error: apiKeys[0]: a key or a keyFile is missing',
      '1:24: error: apiKeys[1]: a key or a keyFile is missing',
    ],
  ],
  [
    'both',
    'apiKeys: [{ key: a, keyFile: b }]',
    ['1:21: error: apiKeys[0].keyFile: key and keyFile are both there; keep one of the two'],
  ],
  ['a key twice', 'apiKeys: [a, { key: a, name: x }]', ['1:14: error: apiKeys[1]: this key is there twice']],
  [
    'a name twice',
    'apiKeys: [a, { key: b, name: key-1 }]',
    ['1:14: error: apiKeys[1]: the name key-1 is taken; logs and limits tell keys apart by their names'],
  ],
  [
    'the name of those without a key',
    'apiKeys: [{ key: b, name: anonymous }]',
    ['1:11: error: apiKeys[0]: the name anonymous is taken; logs and limits tell keys apart by their names'],
  ],
  [
    'an unknown scope',
    'apiKeys: [{ key: a, scopes: [wirte, raed] }]',
    [
      '1:30: error: apiKeys[0].scopes[0]: expected one of infer, read, admin, found the text "wirte"',
      '1:37: error: apiKeys[0].scopes[1]: expected one of infer, read, admin, found the text "raed" (did you mean read?)',
    ],
  ],
  [
    'an unknown field',
    'apiKeys: [{ key: a, scope: [read] }]',
    [
      '1:21: error: apiKeys[0]: unknown key; valid are key, keyFile, name, scopes, models, maxPriority, concurrency (did you mean scopes?)',
    ],
  ],
  [
    'bounds',
    'apiKeys: [{ key: a, maxPriority: 101, concurrency: 0 }]',
    [
      '1:34: error: apiKeys[0].maxPriority: expected a whole number, from -100 to 100, found the number 101',
      '1:52: error: apiKeys[0].concurrency: expected a whole number, 1 or more, found the number 0',
    ],
  ],
  [
    'any origin',
    'cors: ["*"]',
    [
      '1:8: error: cors[0]: expected an origin as browsers send it, like https://chat.example.org or http://localhost:3000, found the text "*"',
    ],
  ],
  [
    'an origin with a path',
    'cors: ["https://a/"]',
    [
      '1:8: error: cors[0]: expected an origin as browsers send it, like https://chat.example.org or http://localhost:3000, found the text "https://a/"',
    ],
  ],
  [
    'a host with its port',
    'allowedHosts: ["box:80"]',
    [
      '1:16: error: allowedHosts[0]: expected a host name without scheme and port, like box.example.org or *.example.org, found the text "box:80"',
    ],
  ],
]
for (const [name, text, told] of MISTAKES) {
  t.test(`a mistake: ${name}`, async (t) => {
    t.same(issuesOf(withModel(text)), told)
  })
}

/** With a file that holds this; undefined: there is none. */
const readWithFile = (text: string | undefined): ConfigReading =>
  readConfig(withModel('apiKeys: [{ name: app, keyFile: app.key }]'), {
    file: 'c.yaml',
    env: {},
    readKeyFile: (path) =>
      text === undefined || path !== 'app.key' ? { ok: false, reason: 'it does not exist' } : { ok: true, text },
  })

t.test('a key comes out of its file, and what is wrong with the file is told at its place', async (t) => {
  const good = readWithFile('  sk-file\n')
  t.equal(good.ok && good.config.access.keys[0]?.secret, 'sk-file')
  const told = (text: string | undefined): readonly string[] => {
    const reading = readWithFile(text)
    return reading.ok ? [] : reading.issues.map((issue) => formatIssue(issue))
  }
  const place = 'c.yaml:1:33: error: apiKeys[0].keyFile: the key file app.key'
  t.same(told(undefined), [`${place} can not be read: it does not exist`])
  t.same(told(' \n'), [`${place} is empty`])
  t.same(told('sk-one\nsk-two\n'), [`${place} does not hold one key on one line`])
  t.same(issuesOf(withModel('apiKeys: [{ keyFile: x }]')), [
    '1:22: error: apiKeys[0].keyFile: the key file x can not be read: files are not read here',
  ])
})

t.test('no mistake around a key shows it', async (t) => {
  const texts = [
    'apiKeys: sk-secret',
    'apiKeys: { sk-secret: }',
    'apiKeys: ["sk-secret x"]',
    'apiKeys: [{ key: "sk-secret x" }]',
    'apiKeys: [{ sk-secret: a }]',
    'apiKeys: [[sk-secret]]',
    'apiKeys: [{ key: [sk-secret] }]',
    'apiKeys: [sk-secret, sk-secret]',
    'apiKeys: [{ key: sk-secret, keyFile: a }]',
    'apiKeys: ["${env.KEY} x", { key: "${env.KEY} x", name: "${env.KEY} x" }]',
  ]
  for (const text of texts) {
    const told = issuesOf(withModel(text), { KEY: 'sk-secret' }).join('\n')
    t.match(told, 'error', text)
    t.notMatch(told, 'secret', text)
  }
})

t.test('a model may have the key that its engine wants', async (t) => {
  const env = { ENGINE_KEY: 'sk-engine' }
  t.equal(modelOf(modelWith('apiKey: ${env.ENGINE_KEY}'), 'a', env).apiKey, 'sk-engine')
  t.equal(modelOf(modelWith('apiKey: 123'), 'a').apiKey, '123')
  t.notOk('apiKey' in modelOf(modelWith('ttl: 5'), 'a'))
  t.same(issuesOf(modelWith('apiKey: "sk secret"')), [
    '4:13: error: models.a.apiKey: expected a key of ASCII characters without blanks, found other text',
  ])
})
