import t from 'tap'
import { exclusive } from '../../src/index.ts'
import { brief, question, resident } from './question.ts'

t.test('everything else on the host goes, whatever it does', (t) => {
  const residents = [
    resident('A'),
    resident('B', { inFlight: 3, idleSince: undefined }),
    resident('C', { loading: true }),
  ]
  t.equal(brief(exclusive.plan(question('T', residents))), '-A -B -C')
  t.end()
})

t.test('pinned ones stay', (t) => {
  t.equal(brief(exclusive.plan(question('T', [resident('A', { pinned: true }), resident('B')]))), '-B')
  t.end()
})

t.test('nothing goes from an empty host, and the plan says why', (t) => {
  const plan = exclusive.plan(question('T', []))
  t.equal(brief(plan), '')
  t.match(plan.reason, /T needs the host to itself/)
  t.end()
})
