import t from 'tap'
import { changesOf, fold, type FeedState } from '../../../src/protocol/index.ts'
import { feedState } from '../../support/feed-state.ts'

const EMPTY = feedState()

const waiting = (id: number, position: number): FeedState['waiting'][number] => ({
  id,
  model: 'a',
  band: 'normal',
  priority: 0,
  caller: 'anonymous',
  receivedAt: 0,
  position,
  attempts: 0,
  estimate: null,
  cause: null,
})

t.test('a dispatch moves everybody up and repeats nobody', (t) => {
  const before = { ...EMPTY, waiting: [1, 2, 3].map((id) => waiting(id, id)) }
  const after = { ...EMPTY, waiting: [waiting(2, 1), waiting(3, 2)] }
  const [event, ...more] = changesOf(before, after, 5)
  t.same(event, { type: 'waiting-changed', at: 5, set: [], order: [2, 3], positions: [1, 2], queue: EMPTY.queue })
  t.same(more, [])
  t.end()
})

t.test('changes before the first snapshot say nothing', (t) => {
  t.equal(fold(undefined, { type: 'rates-changed', at: 0, rates: EMPTY.rates }), undefined)
  t.end()
})
