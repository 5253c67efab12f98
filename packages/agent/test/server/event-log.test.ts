import t from 'tap'
import { createEventLog } from '../../src/server/event-log.ts'

t.test('what is forgotten is a gap, and what is kept is told without one', (t) => {
  const log = createEventLog(() => 7, 2)
  for (let count = 0; count < 5; count += 1) log.add({ type: 'changed' })
  t.equal(log.last(), 5)
  t.same(log.after(4), { events: [{ type: 'changed', number: 5, at: 7 }], isGap: false })
  t.same(log.after(5), { events: [], isGap: false })
  t.equal(log.after(0).isGap, true)
  t.equal(log.after(6).isGap, true, 'of another start')
  t.end()
})
