import t from 'tap'
import { matrix, modelId, parseSets, type Swapper } from '../../../src/index.ts'
import { brief, question, resident } from '../question.ts'

const swapper = (sets: Record<string, string>, costs: Record<string, number> = {}): Swapper => {
  const reading = parseSets({ sets: new Map(Object.entries(sets)), model: (name) => modelId(name) })
  if (!reading.ok) throw new Error(JSON.stringify(reading.errors))
  const evictCosts = new Map(Object.entries(costs).map(([model, cost]) => [modelId(model), cost]))
  return matrix({ sets: reading.sets, evictCosts })
}

const goes = (
  sets: Record<string, string>,
  target: string,
  running: string[],
  costs?: Record<string, number>,
): string =>
  brief(
    swapper(sets, costs).plan(
      question(
        target,
        running.map((model) => resident(model)),
      ),
    ),
  )

t.test('any part of one expansion may run together', async (t) => {
  const sets = { talk: 'big & small & tiny' }
  t.equal(goes(sets, 'small', ['big']), '')
  t.equal(goes(sets, 'small', ['big', 'tiny']), '')
})

t.test('alternatives exclude each other', async (t) => {
  const sets = { s: '(left | right) & small' }
  t.equal(goes(sets, 'left', ['right', 'small']), '-right')
  t.equal(goes(sets, 'small', ['left', 'right']), '-right', 'the first in definition order is spared')
})

t.test('the expansion that evicts the least, by cost, is taken', async (t) => {
  const sets = { one: 'a & x', two: 'b & c & x' }
  t.equal(goes(sets, 'x', ['a', 'b', 'c']), '-a')
  t.equal(goes(sets, 'x', ['a', 'b', 'c'], { a: 30 }), '-b -c')
  t.equal(goes(sets, 'x', ['a', 'b', 'c'], { a: 2 }), '-b -c', 'a tie goes to the set that was defined first')
})

t.test('a model in no set runs alone', async (t) => {
  t.equal(goes({ s: 'a & b' }, 'z', ['a', 'b']), '-a -b')
  t.equal(goes({ s: 'a & b' }, 'a', ['z', 'b']), '-z')
})

t.test('a model that stands in two parts of a set counts once', async (t) => {
  t.equal(goes({ s: '(a | b) & (a | c)' }, 'a', ['b', 'c']), '-b', 'b goes or c goes, the first choice spares c')
})

t.test('a pinned model is never evicted: another expansion is taken, or none is possible', async (t) => {
  const made = swapper({ one: 'a & x', two: 'b & x' }, { b: 100 })
  t.equal(brief(made.plan(question('x', [resident('a', { pinned: true }), resident('b')]))), '-b')
  const both = made.plan(question('x', [resident('a', { pinned: true }), resident('b', { pinned: true })]))
  t.equal(brief(both), 'impossible: b')
  t.match(both.reason, /b, which is pinned/)
})

t.test('sixty-four models in nested sets of alternatives do not blow up', async (t) => {
  const pairs = Array.from({ length: 32 }, (_, index) => `(l${index} | r${index})`)
  const sets = { base: pairs.slice(0, 16).join(' & '), all: `+base & ${pairs.slice(16).join(' & ')}` }
  const running = Array.from({ length: 31 }, (_, index) => `l${index}`)
  t.equal(goes(sets, 'l31', running), '')
  t.equal(goes(sets, 'r0', running), '-l0')
})
