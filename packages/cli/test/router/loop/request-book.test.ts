import { requestId, type Failure, type SchedulerEvent } from '@lswap/core'
import t from 'tap'
import { ForgettingMap } from '../../../src/router/forgetting-map.ts'
import type { Fact } from '../../../src/router/loop/event-queue.ts'
import { createRequestBook } from '../../../src/router/loop/request-book.ts'
import type { Ticket, Tickets } from '../../../src/router/loop/tickets.ts'
import { recordingLog } from '../support/log.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'
import { CLOSING, ignore, PLACE, request } from './rig.ts'

const ID = requestId(1)

/** The book alone: events are kept, and decided when the test says so. */
const rig = () => {
  const clock = createVirtualClock()
  const log = recordingLog()
  const tickets: Tickets = new ForgettingMap()
  const posted: Fact[] = []
  const closed: unknown[] = []
  const waited: Ticket[] = []
  let answers = 0
  const book = createRequestBook({
    tickets,
    timelines: { granted: (ticket) => void waited.push(ticket), close: (_, last) => void closed.push(last) },
    queue: { post: (fact) => void posted.push(fact) },
    clock,
    log,
    onAnswered: () => (answers += 1),
  })
  return {
    book,
    clock,
    closed,
    log,
    posted,
    tickets,
    waited,
    answers: () => answers,
    /** The last event that was posted gets its turn. */
    decide: () => book.isStillTrue({ ...posted.at(-1), now: clock.now() } as SchedulerEvent),
    /** As the loop does it once the scheduler says so. */
    grant: () => {
      const ticket = tickets.get(ID)
      if (ticket === undefined) throw new Error('there is no such request')
      Object.assign(ticket, { state: 'granted', placement: PLACE })
      book.granted(ticket)
      return ticket
    },
  }
}

t.test('a request that leaves while it waits is forgotten when that is decided, and asked for once only', async (t) => {
  const { book, tickets, posted, closed, decide, clock } = rig()
  book.requests.submit(request(1), ignore)
  book.requests.cancel(ID)
  book.requests.cancel(ID)
  t.same(
    posted.map(({ type }) => type),
    ['request-received', 'request-cancelled'],
  )
  t.ok(tickets.get(ID), 'a grant may still cross with it')
  t.ok(decide())
  t.same(closed, [{ at: clock.now(), type: 'cancelled' }])
  t.notOk(tickets.get(ID))
})

t.test('one that was sent away is remembered with what it was told', async (t) => {
  const failure: Failure = { code: 'timed_out', message: 'Too long.' }
  const { book, closed, decide, clock } = rig()
  book.requests.submit(request(1), ignore)
  book.requests.cancel(ID, failure)
  t.ok(decide())
  t.same(closed, [{ at: clock.now(), type: 'rejected', failure }])
})

t.test('an end of waiting that a grant overtook is not told to the scheduler', async (t) => {
  const { book, tickets, closed, decide, grant } = rig()
  book.requests.submit(request(1), ignore)
  book.requests.cancel(ID)
  grant()
  t.notOk(decide())
  t.ok(tickets.get(ID))
  t.same(closed, [])
})

t.test('a grant is noted with its wait, unless it came with the arrival', async (t) => {
  const own = rig()
  own.book.requests.submit(request(1), ignore)
  own.decide()
  own.grant()
  t.same(own.waited, [])
  t.equal(own.tickets.get(ID)?.grantedAt, own.clock.now())

  const later = rig()
  later.book.requests.submit(request(1), ignore)
  later.decide()
  later.book.requests.submit(request(2), ignore)
  later.decide()
  t.same(later.waited, [])
  const ticket = later.grant()
  t.same(later.waited, [ticket])
})

t.test('the first byte of an answer is noted once', async (t) => {
  const { book, answers, clock, tickets, grant } = rig()
  book.requests.answered(ID)
  book.requests.submit(request(1), ignore)
  grant()
  book.requests.answered(ID)
  const at = clock.now()
  await clock.advance(5)
  book.requests.answered(ID)
  t.equal(answers(), 1)
  t.equal(tickets.get(ID)?.firstByteAt, at)
})

t.test('a grant ends once; its end told again is a bug, and nothing is decided by it', async (t) => {
  const { book, posted, closed, tickets, log, decide, grant } = rig()
  book.requests.submit(request(1), ignore)
  grant()
  book.requests.served(ID, 'done')
  t.match(posted.at(-1), { type: 'serve-done', request: 1, outcome: 'done' })
  book.requests.served(ID, 'done')
  t.equal(posted.length, 2)
  t.equal(log.bugs().length, 1)
  t.ok(decide())
  t.match(closed, [{ type: 'done' }])
  t.notOk(tickets.get(ID))
})

t.test('one whose client left is told as cancelled when it has been served', async (t) => {
  const { book, closed, decide, grant } = rig()
  book.requests.submit(request(1), ignore)
  book.requests.cancel(ID)
  grant()
  book.requests.served(ID, 'done')
  decide()
  t.match(closed, [{ type: 'cancelled' }])
})

t.test('an engine was given up only before its first byte; after that it notices by itself', async (t) => {
  const { book, posted, grant } = rig()
  book.requests.submit(request(1), ignore)
  grant()
  book.requests.served(ID, 'given-up')
  t.match(posted.at(-1), { outcome: 'given-up' })

  const other = rig()
  other.book.requests.submit(request(1), ignore)
  other.grant()
  other.book.requests.answered(ID)
  other.book.requests.served(ID, 'given-up')
  t.match(other.posted.at(-1), { outcome: 'done' })
})

t.test('one that is tried again waits as before, without what it knew of its first wait', async (t) => {
  const { book, posted, closed, tickets, decide, grant } = rig()
  book.requests.submit(request(1), ignore)
  grant().waited = []
  book.requests.served(ID, 'retry')
  t.match(posted.at(-1), { type: 'serve-done', outcome: 'retry' })
  t.ok(decide())
  t.same(closed, [])
  t.match(tickets.get(ID), { state: 'waiting', waited: undefined })
})

t.test('after the shutdown nothing is queued: who comes, and who is to be tried again, is told at once', async (t) => {
  const { book, posted, tickets, grant } = rig()
  const told: string[] = []
  const waiter = (name: string) => ({
    granted: () => {},
    rejected: ({ code }: Failure) => void told.push(`${name} ${code}`),
  })
  book.requests.submit(request(1), waiter('first'))
  grant()
  book.requests.shutdown(CLOSING)
  book.requests.shutdown({ ...CLOSING, message: 'Again.' })
  t.same(posted.slice(1), [{ type: 'shutdown-started', failure: CLOSING }])
  book.requests.submit(request(2), waiter('second'))
  t.equal(tickets.size, 1)
  t.equal(posted.length, 2)
  book.requests.served(ID, 'retry')
  t.match(posted.at(-1), { type: 'serve-done', outcome: 'done' })
  t.same(told, ['second shutting_down', 'first shutting_down'])
})
