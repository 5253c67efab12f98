import t from 'tap'
import { ANONYMOUS, LOCAL_HOST, modelId, requestId, type Request, type TimelineStep } from '@lswap/core'
import { createHistory } from '../../../src/router/loop/history.ts'
import { createRecords } from '../../../src/router/loop/records.ts'
import { newTicket, type Ticket, type Tickets } from '../../../src/router/loop/tickets.ts'
import { ForgettingMap } from '../../../src/router/forgetting-map.ts'
import { createTimelines, type Timelines } from '../../../src/router/loop/timelines.ts'

const PLACE = { model: modelId('a'), host: LOCAL_HOST }
const request = (id: number): Request => ({
  id: requestId(id),
  model: PLACE.model,
  priority: 0,
  criticality: 'standard',
  caller: ANONYMOUS,
  takesSlot: true,
  noLoad: false,
})

const RECEIVED: TimelineStep = { at: 5, type: 'received' }
const GRANTED: TimelineStep = { at: 50, type: 'granted', placement: PLACE, reason: '' }
const WAITED: readonly TimelineStep[] = [RECEIVED, { at: 5, type: 'blocked', cause: { type: 'no-host' } }, GRANTED]

interface Rig {
  readonly tickets: Tickets
  readonly timelines: Timelines
  readonly ticket: Ticket
  /** What the scheduler tells of the request from now on. */
  tells(steps: readonly TimelineStep[] | undefined): void
}

const rig = (): Rig => {
  const tickets: Tickets = new ForgettingMap()
  let told: readonly TimelineStep[] | undefined
  const timelineOf = (id: ReturnType<typeof requestId>) =>
    told === undefined ? undefined : { request: id, steps: told }
  const ticket = newTicket(request(1), { granted: () => {}, rejected: () => {} }, 5)
  tickets.set(ticket.request.id, ticket)
  const timelines = createTimelines({ scheduler: { timelineOf }, tickets, kept: () => 10 })
  return { tickets, timelines, ticket, tells: (steps) => (told = steps) }
}

const types = ({ timelines }: Rig): readonly string[] | undefined =>
  timelines.of(requestId(1))?.steps.map(({ type }) => type)

t.test('why a request waited is kept from its grant on, also when the scheduler has forgotten', async (t) => {
  const own = rig()
  own.tells(WAITED)
  own.timelines.granted(own.ticket)
  own.tells([RECEIVED, GRANTED])
  t.same(types(own), ['received', 'blocked', 'granted'])
  own.timelines.close(own.ticket, { at: 90, type: 'done' })
  own.tickets.delete(own.ticket.request.id)
  t.same(types(own), ['received', 'blocked', 'granted', 'done'])
})

t.test('the first byte is on the timeline while the request runs, and before its end', async (t) => {
  const own = rig()
  own.tells([RECEIVED, GRANTED])
  own.timelines.granted(own.ticket)
  own.ticket.firstByteAt = 60
  t.same(types(own), ['received', 'granted', 'first-byte'])
  own.timelines.close(own.ticket, { at: 90, type: 'cancelled' })
  own.tickets.delete(own.ticket.request.id)
  t.same(types(own), ['received', 'granted', 'first-byte', 'cancelled'])
  t.match(own.timelines.ended.find(requestId(1)), { outcome: 'cancelled' })
})

t.test('one that the scheduler never heard of has its arrival and its end', async (t) => {
  const own = rig()
  own.tells(undefined)
  own.timelines.closeRejected(own.ticket, 7, { code: 'internal', message: 'A bug.' })
  own.tickets.delete(own.ticket.request.id)
  t.same(types(own), ['received', 'rejected'])
  const [record] = createRecords(own.tickets, own.timelines.ended).all()
  t.match(record, { state: 'rejected', receivedAt: 5, endedAt: 7, failure: { code: 'internal' } })
  t.equal(record?.placement, undefined)
})

t.test('so many that ended are remembered as the configuration says now, the oldest is forgotten first', async (t) => {
  let kept = 3
  const history = createHistory(() => kept)
  const keep = (from: number, to: number): void => {
    for (let id = from; id <= to; id += 1) {
      history.keep({ asked: request(id), request: requestId(id), steps: [], outcome: 'done' })
    }
  }
  const ids = (limit?: number): readonly number[] => history.latest(limit).map((ended) => Number(ended.request))
  keep(1, 2)
  t.same([ids(), ids(1)], [[2, 1], [2]])
  keep(3, 5)
  t.same(
    [ids(), ids(2), ids(9)],
    [
      [5, 4, 3],
      [5, 4],
      [5, 4, 3],
    ],
  )
  t.equal(history.find(requestId(2)), undefined)
  t.match(history.find(requestId(3)), { request: 3 })
  kept = 5
  keep(6, 8)
  t.same(ids(), [8, 7, 6, 5, 4])
  kept = 2
  keep(9, 9)
  t.same(ids(), [9, 8])
  kept = 0
  keep(10, 11)
  t.same(ids(), [])
})
