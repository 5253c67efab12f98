import t from 'tap'
import {
  hostMemory,
  LOCAL_HOST,
  memory,
  modelId,
  sizeText,
  type MemoryNeed,
  type MemoryReport,
  type ModelSize,
  type Swapper,
} from '../../../src/index.ts'
import { brief, question, resident } from '../question.ts'

const GIB = 2 ** 30

interface Told {
  readonly room?: Record<string, number>
  readonly others?: Record<string, number>
  readonly sizes?: readonly MemoryNeed[]
}

const inGib = (sizes: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(sizes).map(([name, gib]) => [name, gib * GIB]))

const told = ({ room = { gpu0: 24 }, others = {}, sizes = [] }: Told): MemoryReport => ({
  room: inGib(room),
  others: inGib(others),
  sizes,
})

const measured = (model: string, gib: number, device = 'gpu0'): MemoryNeed => ({
  model,
  bytes: { [device]: gib * GIB },
  source: 'measured',
})

const declaring = (sizes: Record<string, number>, devices: Record<string, number> = {}): Swapper =>
  memory({
    sizeOf: (model) => {
      const gib = sizes[model]
      return gib === undefined ? undefined : ({ bytes: gib * GIB, source: 'declared' } satisfies ModelSize)
    },
    budgetOf: () => new Map(Object.entries(inGib(devices))),
  })

const ask = (swapper: Swapper, report: MemoryReport, target: string, running: readonly string[] = []) =>
  swapper.plan({
    ...question(
      target,
      running.map((id) => resident(id)),
    ),
    memory: hostMemory(report),
  })

t.test('without anything declared, what was measured decides', async (t) => {
  const report = told({ sizes: [measured('a', 10), measured('b', 10), measured('c', 8)] })
  const swapper = declaring({})
  t.equal(brief(ask(swapper, report, 'a', ['b'])), '', 'they fit together')
  t.equal(brief(ask(swapper, report, 'c', ['a', 'b'])), '-a', 'one makes room')
  t.match(ask(swapper, report, 'a', ['b']).reason, /^a needs 10 GiB on gpu0 \(measured\) and fits/)
})

t.test('declared comes before measured, and measured before an estimate', async (t) => {
  const sizes: readonly MemoryNeed[] = [measured('a', 10), { model: 'b', bytes: 4 * GIB, source: 'estimated' }]
  const seen = hostMemory(told({ sizes }))
  const of = (swapper: Swapper, id: string) => swapper.sizeOf?.(modelId(id), LOCAL_HOST, seen)
  t.match(of(declaring({ a: 3 }), 'a'), { source: 'declared', bytes: 3 * GIB })
  t.match(of(declaring({}), 'a'), { source: 'measured' })
  t.match(of(declaring({}), 'b'), { source: 'estimated', bytes: 4 * GIB })
  t.equal(of(declaring({}), 'c'), undefined)
})

t.test('what the file of the host declares comes before what that of the router does', async (t) => {
  const seen = hostMemory(told({ sizes: [{ model: 'a', bytes: 5 * GIB, source: 'declared' }] }))
  t.match(declaring({ a: 3 }).sizeOf?.(modelId('a'), LOCAL_HOST, seen), { bytes: 5 * GIB })
})

t.test('what other programs use is not to be had, and is named', async (t) => {
  const report = told({ room: { gpu0: 8 }, others: { gpu0: 16 }, sizes: [measured('a', 10)] })
  const plan = ask(declaring({}), report, 'a')
  t.equal(brief(plan), 'impossible:')
  t.match(plan.reason, /needs 10 GiB on gpu0, has 8 GiB, as other programs use 16 GiB/)
})

t.test('declared devices are a limit, not a promise', async (t) => {
  const swapper = declaring({ a: 10 }, { gpu0: 20 })
  t.equal(brief(ask(swapper, told({ room: { gpu0: 24 } }), 'a', [])), '')
  t.equal(brief(ask(swapper, told({ room: { gpu0: 8 } }), 'a', [])), 'impossible:', 'others use the rest')
  t.equal(brief(ask(declaring({ a: 22 }, { gpu0: 20 }), told({ room: { gpu0: 24 } }), 'a')), 'impossible:')
})

t.test('where nobody knows the memory, a model gets the host to itself and none is impossible', async (t) => {
  const plan = ask(declaring({ a: 10 }), told({ room: {} }), 'a', ['b'])
  t.equal(brief(plan), '-b')
  t.match(plan.reason, /memory of local is not known/)
})

t.test('a size that was measured while the devices had other names counts against all together', async (t) => {
  const report = told({ room: { card: 24 }, sizes: [measured('a', 10), measured('b', 20)] })
  t.equal(brief(ask(declaring({}), report, 'a')), '')
  t.equal(brief(ask(declaring({}), report, 'a', ['b'])), '-b')
})

t.test('sizes in words', async (t) => {
  t.equal(sizeText({ bytes: 1.5 * GIB, source: 'estimated' }), '1.5 GiB (estimated)')
  const bytes = new Map(Object.entries(inGib({ gpu0: 2, gpu1: 3, gpu2: 0 })))
  t.equal(sizeText({ bytes, source: 'measured' }), '2 GiB on gpu0 and 3 GiB on gpu1 (measured)')
})
