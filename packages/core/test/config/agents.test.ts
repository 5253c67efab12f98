import t from 'tap'
import type { Config } from '../../src/config/config.ts'
import { formatIssue } from '../../src/config/issue.ts'
import { readConfig } from '../../src/config/read-config.ts'

const FILES: Readonly<Record<string, string>> = {
  'a.token': ' token-a\n',
  'b.token': 'token-b',
  'ca.pem': 'PEM',
  two: 'a b',
  none: ' ',
}

const read = (text: string) =>
  readConfig(text, {
    file: 'c.yaml',
    env: {},
    readKeyFile: (path) => {
      const found = FILES[path]
      return found === undefined ? { ok: false, reason: 'it does not exist' } : { ok: true, text: found }
    },
  })

const issues = (text: string): readonly string[] => {
  const reading = read(text)
  return (reading.ok ? reading.warnings : reading.issues).map((issue) =>
    formatIssue(issue).replace(/^c\.yaml:\d+:\d+: /, ''),
  )
}

const config = (text: string): Config => {
  const reading = read(text)
  if (!reading.ok) throw new Error(reading.issues.map((issue) => formatIssue(issue)).join('\n'))
  return reading.config
}

const hostsOf = (text: string) => Object.fromEntries(config(text).models.map(({ id, hosts }) => [id, hosts]))

const TWO = `agents:
  - { id: left, url: "http://127.0.0.1:8078", tokenFile: a.token }
  - { id: right, url: "https://gpu-box:8078", tokenFile: b.token, tls: { caFile: ca.pem } }
`
const CMD = '"x ${PORT}"'

t.test('agents have an address, a token and what is trusted for them', (t) => {
  const { agents, embeddedAgent } = config(`${TWO}models: { a: {} }\n`)
  t.same(agents, [
    { id: 'left', url: 'http://127.0.0.1:8078', token: 'token-a' },
    { id: 'right', url: 'https://gpu-box:8078', token: 'token-b', ca: 'PEM' },
  ])
  t.equal(embeddedAgent, true)
  t.end()
})

t.test('a model may run on every host, this one only with a command, or on those that it names', (t) => {
  const models = `models: { everywhere: { cmd: ${CMD} }, away: {}, named: { hosts: [right] }, here: { cmd: ${CMD}, hosts: [local] } }\n`
  t.same(hostsOf(TWO + models), {
    everywhere: ['local', 'left', 'right'],
    away: ['left', 'right'],
    named: ['right'],
    here: ['local'],
  })
  t.same(hostsOf(`${TWO}embeddedAgent: false\nmodels: { a: { cmd: ${CMD} } }\n`), { a: ['left', 'right'] })
  t.same(hostsOf(`models: { a: { cmd: ${CMD} } }\n`), { a: ['local'] })
  t.end()
})

t.test('what is wrong with agents and hosts is told with its place', (t) => {
  const model = 'models: { a: {} }\n'
  const agent = (more: string): string => `agents: [{ ${more} }]\n${model}`
  const cases: readonly (readonly [string, RegExp])[] = [
    ['models: { a: {} }\n', /models\.a\.cmd: the command is missing/],
    [`${TWO}models: { a: { hosts: [rigth] } }\n`, /models\.a\.hosts\[0\]: there is no host "rigth".*right/],
    [
      `${TWO}models: { a: { hosts: [local] } }\n`,
      /models\.a\.hosts\[0\]: local can not run it: the command is missing/,
    ],
    [`${TWO}models: { a: { hosts: [] } }\n`, /models\.a\.hosts: a model needs a host/],
    [
      `embeddedAgent: false\nmodels: { a: { cmd: ${CMD} } }\n`,
      /embeddedAgent: without agents nothing could run a model/,
    ],
    [agent('id: x, url: "http://127.0.0.1:1"'), /agents\[0\]: an agent needs tokenFile/],
    [agent('id: local, url: "http://127.0.0.1:1", tokenFile: a.token'), /agents\[0\]\.id: local is this machine/],
    [agent('id: x, url: "http://127.0.0.1", tokenFile: a.token'), /agents\[0\]\.url: .*an address with its port/],
    [agent('id: x, url: "http://127.0.0.1:1", tokenFile: gone'), /agents\[0\]\.tokenFile: .*it does not exist/],
    [agent('id: x, url: "http://127.0.0.1:1", tokenFile: two'), /agents\[0\]\.tokenFile: it does not hold one word/],
    [agent('id: x, url: "http://127.0.0.1:1", tokenFile: none'), /agents\[0\]\.tokenFile: the file none is empty/],
    [agent('id: x, url: "http://10.0.0.1:1", tokenFile: a.token'), /warning: agents\[0\]\.url: .*as they are/],
    [`${TWO.replace('right', 'left')}${model}`, /agents\[1\]\.id: another agent has the id left/],
  ]
  for (const [text, expected] of cases) t.match(issues(text), [expected], text)
  t.end()
})

t.test('no token is in a message', (t) => {
  t.notMatch(
    issues('agents: [{ id: x, url: "http://127.0.0.1:1", tokenFile: two }]\nmodels: { a: {} }\n').join(),
    'a b',
  )
  t.end()
})
