import t from 'tap'
import { readConfig } from '../../src/config/read-config.ts'
import { swapperOf } from '../../src/evict/choose.ts'
import { question, resident } from '../evict/question.ts'
import { configOf, issuesOf, modelOf } from './reading.ts'

const GIB = 2 ** 30
const USE = 'routing: { router: { use: memory } }\n'
const DEVICES = 'devices: { gpu0: 24GiB, gpu1: 8GiB }\n'
const models = (...memory: readonly string[]): string =>
  `models:\n${memory.map((size, at) => `  m${at}: { cmd: "x \${PORT}"${size && `, memory: ${size}`} }\n`).join('')}`

const one = (size: string): unknown => modelOf(`${models(size)}${DEVICES}${USE}`, 'm0').memory

t.test('a model declares one size, or one for each device', async (t) => {
  t.equal(one('18GiB'), 18 * GIB)
  t.equal(one('0'), 0)
  t.equal(one('2000000000'), 2e9)
  t.same(
    one('{ gpu0: 18GiB, gpu1: 512 MB }'),
    new Map([
      ['gpu0', 18 * GIB],
      ['gpu1', 512e6],
    ]),
  )
  t.equal(one(''), undefined)
})

t.test('devices are those of this machine, or of each host', async (t) => {
  const both = 'devices: { gpu0: 24GiB, local: { gpu1: 8GiB }, box: { gpu0: 80GiB } }\n'
  t.same(
    configOf(models('1GiB') + both + USE).devices,
    new Map([
      [
        'local',
        new Map([
          ['gpu0', 24 * GIB],
          ['gpu1', 8 * GIB],
        ]),
      ],
      ['box', new Map([['gpu0', 80 * GIB]])],
    ]),
  )
  t.match(issuesOf(models('1GiB') + both + USE), [/^3:48: warning: devices\.box: no effect: there is no host "box"/])
})

t.test('the router memory keeps what fits by these numbers', async (t) => {
  const swapper = swapperOf(configOf(models('{ gpu0: 18GiB }', '{ gpu0: 6GiB }', '{ gpu0: 7GiB }') + DEVICES + USE))
  t.match(swapper.plan(question('m0', [resident('m1')])), { type: 'evict', models: [] })
  t.match(swapper.plan(question('m0', [resident('m2')])), { type: 'evict', models: ['m2'] })
})

t.test('mistakes with sizes', async (t) => {
  const size = 'a size of 1MiB or more, like 18GiB or 512MiB'
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'a unit forgotten',
      models('18') + DEVICES + USE,
      [`2:35: error: models.m0.memory: expected 0 or ${size}, found the number 18`],
    ],
    [
      'no unit of ours',
      models('{ gpu0: 18G }') + DEVICES + USE,
      [`2:43: error: models.m0.memory.gpu0: expected 0 or ${size}, found the text "18G"`],
    ],
    [
      'a list',
      models('[18GiB]') + DEVICES + USE,
      [`2:35: error: models.m0.memory: expected 0 or ${size}, or a map from device to size, found a list`],
    ],
    [
      'a device of nothing',
      `${models('1GiB')}devices: { gpu0: 0 }\n${USE}`,
      [`3:18: error: devices.gpu0: expected ${size}, found the number 0`],
    ],
    [
      'a device that is not declared',
      models('{ gpu2: 1GiB, cpu: 1GiB }') + DEVICES + USE,
      [
        '2:27: warning: models.m0.memory: it can never be loaded: m0 does not fit on local: needs 1 GiB on gpu2, has 0 MiB',
        '2:37: error: models.m0.memory.gpu2: no device of this name is declared; there are gpu0, gpu1 (did you mean gpu0?)',
        '2:49: error: models.m0.memory.cpu: no device of this name is declared; there are gpu0, gpu1',
      ],
    ],
    [
      'a device twice',
      `${models('1GiB')}devices: { gpu0: 1GiB, local: { gpu0: 1GiB } }\n${USE}`,
      ['3:33: error: devices.local.gpu0: the device "gpu0" of the host local is declared already'],
    ],
  ]
  for (const [name, text, lines] of cases) t.same(issuesOf(text), lines, name)
})

t.test('what an operator would wonder about later is said at once', async (t) => {
  t.same(issuesOf(models('{ gpu0: 30GiB }', '40GiB', '') + DEVICES + USE), [
    '2:27: warning: models.m0.memory: it can never be loaded: m0 does not fit on local: needs 30 GiB on gpu0, has 24 GiB',
    '3:27: warning: models.m1.memory: it can never be loaded: m1 does not fit on local: needs 40 GiB on all devices together, has 32 GiB',
  ])
  const message = 'no effect: not memory decides what must go, but exclusive (routing.router.use: memory does)'
  t.same(issuesOf(models('18GiB') + DEVICES), [
    `2:27: warning: models.m0.memory: ${message}`,
    `3:1: warning: devices: ${message}`,
  ])
})

t.test('what is declared nowhere is found by the agents', async (t) => {
  t.same(issuesOf(models('18GiB', '') + USE), [], 'devices of this machine')
  const agents = 'embeddedAgent: false\nagents: [{ id: box, url: "http://127.0.0.1:1", tokenFile: t }]\n'
  const reading = readConfig(models('18GiB', '') + agents + USE, {
    file: 'c.yaml',
    env: {},
    readKeyFile: () => ({ ok: true, text: 'token' }),
  })
  t.match(reading, { ok: true, warnings: [] }, 'a router without models of its own')
})
