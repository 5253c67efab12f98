import t from 'tap'
import { configOf, issuesOf } from './reading.ts'

const MODELS = 'models:\n  a: { cmd: "x ${PORT}" }\n  b: { cmd: "x ${PORT}" }\n'
const GROUPS = 'groups: { g: { members: [a] } }\n'
const MATRIX = 'matrix: { sets: { s: a & b } }\n'
const FIFO = 'scheduler: { use: fifo }'
const router = (use: string, more = ''): string => `routing: { router: { use: ${use} }${more} }\n`
const exclusive = (value: string, more = ''): string =>
  `routing: { ${more}scheduler: { settings: { serial: { exclusive: ${value} } } } }\n`

const NOTHING = 'no groups, matrix or router configured'

t.test('serial keeps one model at a time unless the file says what may run together', async (t) => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['nothing said', '', 'exclusive', NOTHING],
    ['groups', GROUPS, 'group', 'groups are configured'],
    ['a matrix', MATRIX, 'matrix', 'a matrix is configured'],
    [
      'a matrix under the router',
      `routing: { router: { settings: { ${MATRIX.trim()} } } }`,
      'matrix',
      'a matrix is configured',
    ],
    ['the router group', router('group'), 'group', 'routing.router.use is group'],
    ['the router exclusive', router('exclusive'), 'exclusive', 'routing.router.use is exclusive'],
    ['the router matrix', MATRIX + router('matrix'), 'matrix', 'routing.router.use is matrix'],
    ['the router memory', `devices: { gpu0: 24GiB }\n${router('memory')}`, 'memory', 'routing.router.use is memory'],
    ['auto', exclusive('auto'), 'exclusive', NOTHING],
    ['auto with groups', GROUPS + exclusive('auto'), 'group', 'groups are configured'],
    ['true with groups', GROUPS + exclusive('true'), 'exclusive', 'serial.exclusive is true'],
    ['true with a router', exclusive('true', 'router: { use: group }, '), 'exclusive', 'serial.exclusive is true'],
    ['false', exclusive('false'), 'group', NOTHING],
    ['false with a matrix', MATRIX + exclusive('false'), 'matrix', 'a matrix is configured'],
  ]
  for (const [name, text, swapper, swapperReason] of cases) {
    t.match(configOf(MODELS + text), { swapper, swapperReason, policy: { use: 'serial' } }, name)
  }
})

t.test('fifo leaves it to the router, which is group by default', async (t) => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['nothing said', `routing: { ${FIFO} }`, 'group'],
    ['a matrix', `${MATRIX}routing: { ${FIFO} }`, 'matrix'],
    ['the router exclusive', router('exclusive', `, ${FIFO}`), 'exclusive'],
  ]
  for (const [name, text, swapper] of cases) {
    t.match(configOf(MODELS + text), { swapper, policy: { use: 'fifo' } }, name)
  }
  const unused = 'routing: { scheduler: { use: fifo, settings: { serial: { exclusive: true } } } }'
  t.equal(configOf(MODELS + unused).swapper, 'group', 'a setting of serial has no effect under fifo')
})

t.test('what has no effect is said', async (t) => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'groups under the router matrix',
      GROUPS + MATRIX + router('matrix'),
      ['4:1: warning: groups: no effect: not this decides what must go, but matrix (routing.router.use is matrix)'],
    ],
    [
      'a matrix under the router group',
      MATRIX + router('group'),
      ['4:1: warning: matrix: no effect: not this decides what must go, but group (routing.router.use is group)'],
    ],
    [
      'groups and serial.exclusive',
      GROUPS + exclusive('true'),
      ['4:1: warning: groups: no effect: not this decides what must go, but exclusive (serial.exclusive is true)'],
    ],
    [
      'a router that serial overrules',
      exclusive('true', 'router: { use: group }, '),
      [
        '4:71: warning: routing.scheduler.settings.serial.exclusive: it overrules routing.router.use, which is group; keep one of the two',
      ],
    ],
    ['a router that says the same', exclusive('true', 'router: { use: exclusive }, '), []],
    [
      'both under the router, as in llama-swap',
      `routing: { router: { settings: { ${GROUPS.trim()}, ${MATRIX.trim()} } } }`,
      [
        '4:67: warning: routing.router.settings.matrix: no effect: not this decides what must go, but group (groups are configured)',
      ],
    ],
  ]
  for (const [name, text, lines] of cases) t.same(issuesOf(MODELS + text), lines, name)
})

t.test('what contradicts itself is an error', async (t) => {
  const cases: readonly (readonly [string, string, string])[] = [
    [
      'both at the top',
      GROUPS + MATRIX,
      '5:1: error: matrix: groups are defined too; say with routing.router.use which of the two decides',
    ],
    [
      'a matrix in both places',
      `${MATRIX}routing: { router: { settings: { ${MATRIX.trim()} } } }`,
      '5:34: error: routing.router.settings.matrix: a matrix is defined here and at the top; keep one of the two',
    ],
    [
      'the router matrix without one',
      router('matrix'),
      '4:27: error: routing.router.use: the router matrix needs a matrix with sets, and none is defined',
    ],
  ]
  for (const [name, text, line] of cases) {
    const errors = issuesOf(MODELS + text).filter((issue) => issue.includes(': error: '))
    t.same(errors, [line], name)
  }
})
