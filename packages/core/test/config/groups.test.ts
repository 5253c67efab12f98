import t from 'tap'
import { configOf, issuesOf } from './reading.ts'

const MODELS =
  'models:\n  a: { cmd: "x ${PORT}", aliases: [alpha] }\n  b: { cmd: "x ${PORT}" }\n  c: { cmd: "x ${PORT}" }\n'

t.test('groups stand at the top or under the router, with the same defaults', async (t) => {
  const groups = [
    { id: 'g', swap: true, exclusive: true, persistent: false, members: ['a', 'b'] },
    { id: 'h', swap: false, exclusive: false, persistent: true, members: [] },
  ]
  const written = '{ g: { members: [alpha, b] }, h: { swap: false, exclusive: false, persistent: true } }'
  t.match(configOf(`${MODELS}groups: ${written}`), { swapper: 'group', groups })
  t.match(configOf(`${MODELS}routing: { router: { settings: { groups: ${written} } } }`), { swapper: 'group', groups })
  t.match(configOf(`${MODELS}routing: { router: { use: group } }`), { swapper: 'group', groups: [] })
  t.match(configOf(`${MODELS}routing: { router: { use: exclusive } }`), { swapper: 'exclusive', groups: [] })
})

const mistakes: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'an unknown member',
    'groups: { g: { members: [a, alhpa] } }',
    ['5:29: error: groups.g.members[1]: no model has the id or alias "alhpa" (did you mean alpha?)'],
  ],
  [
    'a model in two groups',
    'groups: { g: { members: [a] }, h: { members: [alpha] } }',
    ['5:47: error: groups.h.members[0]: the model "a" is in the group "g" already'],
  ],
  [
    'a model twice in a group',
    'groups: { g: { members: [a, alpha] } }',
    ['5:29: error: groups.g.members[1]: the model "a" is in this group twice'],
  ],
  [
    'groups in both places',
    'groups: { g: { members: [a] } }\nrouting: { router: { settings: { groups: { h: { members: [b] } } } } }',
    ['6:34: error: routing.router.settings.groups: groups are defined here and at the top; keep one of the two'],
  ],
  [
    'groups that have no effect',
    'groups: { g: { members: [a] } }\nrouting: { router: { use: exclusive } }',
    ['5:1: warning: groups: no effect: not this decides what must go, but exclusive (routing.router.use is exclusive)'],
  ],
  [
    'an unknown member under the router',
    'routing: { router: { settings: { groups: { g: { members: [d] } } } } }',
    ['5:59: error: routing.router.settings.groups.g.members[0]: no model has the id or alias "d"'],
  ],
]

t.test('mistakes with groups', async (t) => {
  for (const [name, text, lines] of mistakes) t.same(issuesOf(MODELS + text), lines, name)
})

const onePort = (rest: string, a = '', b = ''): string =>
  `models:\n  a: { cmd: "x --port 9001"${a} }\n  b: { cmd: y, proxy: "http://localhost:9001"${b} }\n${rest}`

t.test('one port for two models is a mistake only where they can run at the same time', async (t) => {
  const clash = ['3:23: error: models.b.proxy: port 9001 is also that of the model "a", which may run at the same time']
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['they swap by default', onePort(''), []],
    ['the router exclusive', onePort('routing: { router: { use: exclusive } }'), []],
    ['a group that swaps', onePort('groups: { g: { members: [a, b] } }'), []],
    ['a group that does not', onePort('groups: { g: { swap: false, members: [a, b] } }'), clash],
    ['two exclusive groups', onePort('groups: { g: { members: [a] }, h: { members: [b] } }'), []],
    ['a group that is not exclusive', onePort('groups: { g: { exclusive: false, members: [b] } }'), clash],
    ['a group that is persistent', onePort('groups: { g: { persistent: true, members: [b] } }'), clash],
    ['a pinned model', onePort('', ', pinned: true'), clash],
    [
      'another port',
      onePort('groups: { g: { swap: false, members: [a, b] } }').replace('--port 9001', '--port 9002'),
      [],
    ],
    ['another machine', onePort('groups: { g: { swap: false, members: [a, b] } }').replace('localhost', 'gpu-box'), []],
  ]
  for (const [name, text, lines] of cases) t.same(issuesOf(text), lines, name)
})
