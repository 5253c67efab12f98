import t from 'tap'
import { memory, modelId, type ModelSize, type Swapper } from '../../../src/index.ts'
import { brief, question, resident } from '../question.ts'

const GIB = 2 ** 30

interface Facts {
  readonly sizes: Record<string, number | Record<string, number>>
  readonly devices?: Record<string, number>
  readonly source?: ModelSize['source']
}

const bytesOf = (size: number | Record<string, number>): ModelSize['bytes'] =>
  typeof size === 'number' ? size * GIB : new Map(Object.entries(size).map(([device, gib]) => [device, gib * GIB]))

const swapper = ({ sizes, devices = { gpu0: 24 }, source = 'declared' }: Facts): Swapper => {
  const known = new Map(Object.entries(sizes).map(([id, size]) => [modelId(id), { bytes: bytesOf(size), source }]))
  const budget = new Map(Object.entries(devices).map(([device, gib]) => [device, gib * GIB]))
  return memory({ sizeOf: (model) => known.get(model), budgetOf: () => budget })
}

t.test('what fits stays', async (t) => {
  const made = swapper({ sizes: { big: 20, small: 2, tiny: 2 } })
  t.equal(brief(made.plan(question('tiny', [resident('big'), resident('small')]))), '')
})

t.test('the small one beside two big ones is never restarted', async (t) => {
  const made = swapper({ sizes: { big: 20, small: 2, other: 20 } })
  t.equal(brief(made.plan(question('other', [resident('big'), resident('small')]))), '-big')
})

t.test('10 and 10 on 24: a third of 8 evicts exactly one', async (t) => {
  const made = swapper({ sizes: { a: 10, b: 10, c: 8 } })
  t.equal(
    brief(made.plan(question('c', [resident('a', { idleSince: 0 }), resident('b', { idleSince: 500_000 })], 600_000))),
    '-a',
  )
})

t.test(
  'the set whose loss costs least goes: reload time, less the longer it idles, and the wait for its drain',
  async (t) => {
    const made = swapper({ sizes: { slow: 12, quick: 12, next: 12 } })
    const slow = resident('slow', { reloadMs: 60_000 })
    const quick = resident('quick', { reloadMs: 5_000 })
    t.equal(brief(made.plan(question('next', [quick, slow]))), '-quick')
    const longIdle = { ...slow, idleSince: 0 }
    const justUsed = { ...quick, idleSince: 3_600_000 }
    t.equal(
      brief(made.plan(question('next', [justUsed, longIdle], 3_600_000))),
      '-slow',
      'after an idle hour it is worth a 64th',
    )
    const serving = { ...quick, idleSince: undefined, drainMs: 120_000 }
    t.equal(brief(made.plan(question('next', [serving, slow]))), '-slow')
  },
)

t.test('two cheap ones go before a dear one', async (t) => {
  const made = swapper({ sizes: { a: 8, b: 8, dear: 16, next: 16 }, devices: { gpu0: 32 } })
  const running = [
    resident('a', { reloadMs: 1_000 }),
    resident('b', { reloadMs: 1_000 }),
    resident('dear', { reloadMs: 9_000 }),
  ]
  t.equal(brief(made.plan(question('next', running))), '-a -b')
})

t.test('each device counts by itself', async (t) => {
  const made = swapper({
    sizes: { left: { gpu0: 20 }, right: { gpu1: 20 }, more: { gpu1: 10 } },
    devices: { gpu0: 24, gpu1: 24 },
  })
  t.equal(brief(made.plan(question('more', [resident('left'), resident('right')]))), '-right')
})

t.test('one number is spread over all devices', async (t) => {
  const made = swapper({ sizes: { wide: 40, left: { gpu0: 20 } }, devices: { gpu0: 24, gpu1: 24 } })
  t.equal(brief(made.plan(question('wide', [resident('left')]))), '-left')
  t.equal(brief(made.plan(question('left', [resident('wide')]))), '-wide')
})

t.test('a pinned model stays, and is named when it makes the target impossible', async (t) => {
  const made = swapper({ sizes: { a: 20, b: 2, next: 20 } })
  const plan = made.plan(question('next', [resident('a', { pinned: true }), resident('b')]))
  t.equal(brief(plan), 'impossible: a')
  t.match(plan.reason, /next needs 20 GiB \(declared\) and does not fit on local beside a, which is pinned/)
})

t.test('what fits on no device is impossible, with both numbers, when its size is declared or measured', async (t) => {
  for (const source of ['declared', 'measured'] as const) {
    const plan = swapper({ sizes: { huge: 40 }, source }).plan(question('huge', []))
    t.equal(brief(plan), 'impossible:')
    t.match(plan.reason, /needs 40 GiB on .*, has 24 GiB/)
  }
})

t.test('an estimate never makes a model impossible: it is tried alone', async (t) => {
  const made = swapper({ sizes: { huge: 40, a: 2 }, source: 'estimated' })
  t.equal(brief(made.plan(question('huge', [resident('a')]))), '-a')
})

t.test('a device that the host does not have is impossible', async (t) => {
  const plan = swapper({ sizes: { a: { gpu7: 1 } } }).plan(question('a', []))
  t.match(plan, { type: 'impossible', reason: /gpu7, has 0/ })
})

t.test('a load under way is spared while anything else makes room', async (t) => {
  const made = swapper({ sizes: { a: 12, b: 12, next: 12 } })
  const loading = resident('a', { loading: true, idleSince: undefined, reloadMs: 1 })
  t.equal(brief(made.plan(question('next', [loading, resident('b', { reloadMs: 60_000 })]))), '-b')
  t.equal(brief(made.plan(question('next', [loading, resident('b', { pinned: true })]))), '-a')
})

t.test('a model of unknown size gets the host to itself, and makes room for any other', async (t) => {
  const made = swapper({ sizes: { a: 2, b: 2 } })
  t.equal(brief(made.plan(question('who', [resident('a'), resident('b', { pinned: true })]))), '-a')
  t.equal(brief(made.plan(question('a', [resident('who'), resident('b')]))), '-who')
})
