import { array, assert, property } from 'fast-check'
import t from 'tap'
import {
  changesOf,
  feedEventSchema,
  fold,
  visibleState,
  type FeedEvent,
  type FeedState,
} from '../../../src/protocol/index.ts'
import { feedState } from './arbitrary.ts'

/** What a reader makes of a first snapshot and everything after it, over the wire. */
const read = (states: readonly FeedState[]): FeedState | undefined => {
  const [first, ...later] = states
  if (first === undefined) return undefined
  const events: FeedEvent[] = [{ type: 'snapshot', at: 0, state: first }]
  let before = first
  for (const [at, after] of later.entries()) {
    events.push(...changesOf(before, after, at))
    before = after
  }
  const wire = events.map((event) => feedEventSchema.parse(JSON.parse(JSON.stringify(event))))
  return wire.reduce<FeedState | undefined>((state, event) => fold(state, event), undefined)
}

const mayUse = (model: string): boolean => model === 'a'

t.test('a snapshot and all changes since fold to a later snapshot', (t) => {
  assert(
    property(array(feedState, { minLength: 1, maxLength: 4 }), (states) => {
      const told = read(states)
      if (JSON.stringify(told) !== JSON.stringify(read(states.slice(-1)))) t.same(told, states.at(-1))
    }),
    { numRuns: 500 },
  )
  t.pass('500 histories')
  t.end()
})

t.test('so they do for somebody who may use some models only, and tell nothing of the others', (t) => {
  assert(
    property(array(feedState, { minLength: 1, maxLength: 4 }), (states) => {
      const own = states.map((state) => visibleState(state, mayUse))
      const told = read(own)
      if (JSON.stringify(told) !== JSON.stringify(read(own.slice(-1)))) t.same(told, own.at(-1))
      const named = own.flatMap(({ models, waiting, running, ended, swaps, notices }) => [
        [...models, ...waiting, ...running, ...ended, ...swaps, ...notices].map(({ model }) => model),
        swaps.flatMap(({ evict }) => evict),
      ])
      if (named.flat().some((model) => model !== 'a')) t.fail(`names ${named.join()}`)
    }),
    { numRuns: 300 },
  )
  t.pass('300 histories')
  t.end()
})

t.test('nothing changed, nothing told', (t) => {
  assert(property(feedState, (state) => changesOf(state, structuredClone(state), 1).length === 0))
  t.pass()
  t.end()
})
