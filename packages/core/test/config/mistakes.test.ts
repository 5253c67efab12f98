import t from 'tap'
import { issuesOf, modelWith, withModel } from './reading.ts'

/** One mistake, and the line that is said about it. */
const mistakes: readonly (readonly [string, string, string])[] = [
  [
    'unknown key at the top',
    withModel('modles: {}'),
    '1:1: error: modles: unknown key "modles" (did you mean models?)',
  ],
  [
    'unknown key of a model',
    modelWith('concurencyLimit: 1'),
    '4:5: error: models.a.concurencyLimit: unknown key "concurencyLimit" (did you mean concurrencyLimit?)',
  ],
  [
    'unknown key that is near to none',
    modelWith('temperature: 1'),
    '4:5: error: models.a.temperature: unknown key "temperature"',
  ],
  [
    'unknown key in an inner map',
    withModel('routing: { scheduler: { use: fifo, settings: { fifo: { priorty: {} } } } }'),
    '1:56: error: routing.scheduler.settings.fifo.priorty: unknown key "priorty"; valid are priority, fairAfterMs (did you mean priority?)',
  ],
  [
    'unknown key of a group',
    withModel('groups: { g: { swop: true, members: [a] } }'),
    '1:16: error: groups.g.swop: unknown key "swop"; valid are swap, exclusive, persistent, members (did you mean swap?)',
  ],
  [
    'text for a number',
    modelWith('ttl: soon'),
    '4:10: error: models.a.ttl: expected a whole number of seconds, from -1 to 1000000000, found the text "soon"',
  ],
  [
    'quoted number',
    modelWith('ttl: "60"'),
    '4:10: error: models.a.ttl: expected a whole number of seconds, from -1 to 1000000000, found the text "60"',
  ],
  [
    'fraction',
    modelWith('concurrencyLimit: 1.5'),
    '4:23: error: models.a.concurrencyLimit: expected a whole number, 0 or more, found the number 1.5',
  ],
  [
    'negative',
    modelWith('ttl: -2'),
    '4:10: error: models.a.ttl: expected a whole number of seconds, from -1 to 1000000000, found the number -2',
  ],
  [
    'infinite',
    modelWith('queueLimit: .inf'),
    '4:17: error: models.a.queueLimit: expected a whole number, 1 or more, found the number .inf',
  ],
  [
    'zero where one is least',
    withModel('maxQueued: 0'),
    '1:12: error: maxQueued: expected a whole number, 1 or more, found the number 0',
  ],
  [
    'port too high',
    withModel('startPort: 70000'),
    '1:12: error: startPort: expected a whole number, from 1 to 64536, found the number 70000',
  ],
  ['text for a list', modelWith('aliases: x'), '4:14: error: models.a.aliases: expected a list, found the text "x"'],
  ['map for a list', modelWith('env: { A: 1 }'), '4:10: error: models.a.env: expected a list, found a map'],
  ['list for text', 'models:\n  a:\n    cmd: [a, b]\n', '3:10: error: models.a.cmd: expected text, found a list'],
  ['text for a map', 'models:\n  a: engine\n', '2:6: error: models.a: expected a map, found the text "engine"'],
  ['list for a map', 'models:\n  - a\n', '2:3: error: models: expected a map, found a list'],
  [
    'text for a switch',
    modelWith('unlisted: maybe'),
    '4:15: error: models.a.unlisted: expected true or false, found the text "maybe"',
  ],
  [
    'quoted switch',
    modelWith('unlisted: "yes"'),
    '4:15: error: models.a.unlisted: expected true or false, found the text "yes"',
  ],
  [
    'nothing in a list',
    modelWith('aliases: [x, ]', 'env: [~]'),
    '5:11: error: models.a.env[0]: expected NAME=value, found nothing',
  ],
  [
    'value out of a set',
    withModel('logLevel: wran'),
    '1:11: error: logLevel: expected one of debug, info, warn, error, found the text "wran" (did you mean warn?)',
  ],
  [
    'signal without its SIG',
    modelWith('stopSignal: TERM'),
    '4:17: error: models.a.stopSignal: expected one of SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGKILL, SIGABRT, SIGUSR1, SIGUSR2, found the text "TERM"',
  ],
  ['env without =', modelWith('env: [A]'), '4:11: error: models.a.env[0]: expected NAME=value, found the text "A"'],
  [
    'env without a name',
    modelWith('env: ["=1"]'),
    '4:11: error: models.a.env[0]: expected NAME=value, found the text "=1"',
  ],
  [
    'env with NUL',
    modelWith('env: ["A=\\0"]'),
    String.raw`4:11: error: models.a.env[0]: expected NAME=value, found the text "A=\u0000"`,
  ],
  ['blank alias', modelWith('aliases: [" "]'), '4:15: error: models.a.aliases[0]: expected a name, found the text " "'],
  [
    'proxy without http',
    modelWith('proxy: 127.0.0.1:9000'),
    '4:12: error: models.a.proxy: expected an address like http://127.0.0.1:8000, found the text "127.0.0.1:9000"',
  ],
  [
    'proxy with https',
    modelWith('proxy: https://127.0.0.1:9000'),
    '4:12: error: models.a.proxy: expected an address like http://127.0.0.1:8000, found the text "https://127.0.0.1:9000"',
  ],
  [
    'onAgentExit',
    modelWith('onAgentExit: leave'),
    '4:18: error: models.a.onAgentExit: expected one of stop, keep, found the text "leave"',
  ],
  [
    'drain limit',
    withModel('drainTimeoutMs: ever'),
    '1:17: error: drainTimeoutMs: expected never, or a whole number of milliseconds, found the text "ever" (did you mean never?)',
  ],
  [
    'unknown scheduler',
    withModel('routing: { scheduler: { use: serail } }'),
    '1:30: error: routing.scheduler.use: expected one of fifo, serial, found the text "serail" (did you mean serial?)',
  ],
  [
    'unknown setting of a scheduler',
    withModel('routing: { scheduler: { settings: { serial: { ageingSeconds: 5 } } } }'),
    '1:47: error: routing.scheduler.settings.serial.ageingSeconds: unknown key "ageingSeconds"; valid are exclusive, agingSeconds, swapAffinity, minResidencyMs, fairShare, backfill (did you mean agingSeconds?)',
  ],
  [
    'unknown router',
    withModel('routing: { router: { use: groups } }'),
    '1:27: error: routing.router.use: expected one of group, exclusive, matrix, memory, found the text "groups" (did you mean group?)',
  ],
  [
    'unknown picker',
    withModel('routing: { picker: { use: treee } }'),
    '1:27: error: routing.picker.use: expected one of tree, least-loaded, prefix, found the text "treee" (did you mean tree?)',
  ],
  [
    'a word where a number or auto stands',
    withModel('routing: { scheduler: { settings: { serial: { swapAffinity: atuo } } } }'),
    '1:61: error: routing.scheduler.settings.serial.swapAffinity: expected auto, or a number of points, 0 or more, found the text "atuo" (did you mean auto?)',
  ],
  [
    'a priority beyond those of requests',
    modelWith('priority: 101'),
    '4:15: error: models.a.priority: expected a whole number, from -100 to 100, found the number 101',
  ],
  [
    'unknown criticality',
    modelWith('criticality: shedable'),
    '4:18: error: models.a.criticality: expected one of critical, standard, sheddable, found the text "shedable" (did you mean sheddable?)',
  ],
  [
    'long text is cut',
    modelWith(`ttl: ${'x'.repeat(100)}`),
    `4:10: error: models.a.ttl: expected a whole number of seconds, from -1 to 1000000000, found the text "${'x'.repeat(40)}…"`,
  ],
  [
    'macro of a wrong type',
    withModel('macros: { m: [1] }'),
    '1:14: error: macros.m: expected text, a number, true or false, found a list',
  ],
]

t.test('each mistake is told once, with its place, what was expected and what was found', async (t) => {
  for (const [name, text, line] of mistakes) t.same(issuesOf(text), [line], name)
})
