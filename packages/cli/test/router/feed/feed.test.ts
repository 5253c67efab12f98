import { fold, type FeedEvent, type FeedState } from '@lswap/core/protocol'
import { feedState } from '@lswap/core/test-support'
import t from 'tap'
import { createFeed, type Feed } from '../../../src/router/feed/feed.ts'
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts'

const state = (requestsPerSecond: number): FeedState =>
  feedState({ rates: { requestsPerSecond, tokensPerSecond: null, swapsPerMinute: 0, wastedLoads: 0 } })

interface Rig {
  readonly clock: VirtualClock
  readonly feed: Feed
  readonly looks: () => number
  /** What is to be seen, told to the feed. */
  readonly set: (value: number) => void
}

const rig = (): Rig => {
  const clock = createVirtualClock()
  const seen = { value: 0, looks: 0 }
  const feed = createFeed({
    clock,
    start: 'x',
    look: () => {
      seen.looks += 1
      return state(seen.value)
    },
    refresh: async () => {},
    onBug: (error) => {
      throw error
    },
  })
  return {
    clock,
    feed,
    looks: () => seen.looks,
    set: (value) => {
      seen.value = value
      feed.changed()
    },
  }
}

interface Reading {
  readonly texts: string[]
  readonly leave: () => void
  events(): FeedEvent[]
  isEnded(): boolean
}

const read = async (feed: Feed, lastId?: string): Promise<Reading> => {
  const texts: string[] = []
  let isEnded = false
  const leave = await feed.open({
    mayUse: undefined,
    lastId,
    send: (bytes) => void texts.push(bytes.toString()),
    end: () => {
      isEnded = true
    },
  })
  return {
    texts,
    leave,
    events: () =>
      texts.flatMap((text) => {
        const data = /^data: (.*)$/m.exec(text)?.[1]
        return data === undefined ? [] : [JSON.parse(data) as FeedEvent]
      }),
    isEnded: () => isEnded,
  }
}

const lastIdOf = ({ texts }: Reading): string => /^id: (\S+)$/m.exec(texts.at(-1) ?? '')?.[1] ?? ''

t.test('without readers nothing is looked at and no timer runs', async (t) => {
  const { clock, feed, looks, set } = rig()
  for (let value = 0; value < 100; value += 1) set(value)
  await clock.advance(60_000)
  t.equal(looks(), 0)
  t.equal(clock.pending(), 0)
  const reading = await read(feed)
  t.ok(clock.pending() > 0)
  reading.leave()
  t.equal(clock.pending(), 0, 'nor after the last one left')
})

t.test('a thousand changes in a second are told at most four times, and the last of them is', async (t) => {
  const { clock, feed, set } = rig()
  const reading = await read(feed)
  for (let value = 1; value <= 1_000; value += 1) {
    set(value)
    await clock.advance(1)
  }
  await clock.advance(250)
  const told = reading
    .events()
    .flatMap((event) => (event.type === 'rates-changed' ? [event.rates.requestsPerSecond] : []))
  t.ok(told.length >= 3 && told.length <= 5, `told ${told.length} times`)
  t.equal(told.at(-1), 1_000)
  reading.leave()
})

t.test('what is told folds to what is seen', async (t) => {
  const { clock, feed, set } = rig()
  const reading = await read(feed)
  for (const value of [5, 5, 7]) {
    set(value)
    await clock.advance(300)
  }
  t.same(
    reading.events().reduce<FeedState | undefined>((before, event) => fold(before, event), undefined),
    state(7),
  )
  t.equal(reading.events().length, 3, 'nothing is told twice')
  reading.leave()
})

t.test('a comment every 15 s shows that it lives', async (t) => {
  const { clock, feed } = rig()
  const reading = await read(feed)
  await clock.advance(14_999)
  const comments = (): number => reading.texts.filter((text) => text.startsWith(':')).length
  t.equal(comments(), 0)
  await clock.advance(1)
  t.equal(comments(), 1)
  await clock.advance(30_000)
  t.equal(comments(), 3)
  reading.leave()
})

t.test('who comes back is told what was missed, also what happened while nobody read', async (t) => {
  const { clock, feed, set } = rig()
  const first = await read(feed)
  set(1)
  await clock.advance(300)
  const seen = lastIdOf(first)
  set(2)
  await clock.advance(300)
  first.leave()
  set(3)
  await clock.advance(60_000)
  const back = await read(feed, seen)
  const told = back
    .events()
    .map((event) => (event.type === 'rates-changed' ? event.rates.requestsPerSecond : event.type))
  t.same(told, [2, 3])
  back.leave()
})

t.test('who was away for more than is remembered gets a snapshot', async (t) => {
  const { clock, feed, set } = rig()
  const first = await read(feed)
  const seen = lastIdOf(first)
  const bytes = (): number => first.texts.join('').length
  for (let value = 1; bytes() < 1_100_000; value += 1) {
    set(value)
    await clock.advance(250)
  }
  const late = await read(feed, seen)
  t.equal(late.events()[0]?.type, 'snapshot')
  const last = await read(feed, lastIdOf(first))
  t.same(last.events(), [])
  first.leave()
  late.leave()
  last.leave()
})

t.test('what has to be asked for is asked for at once when something moved', async (t) => {
  const clock = createVirtualClock()
  let asked = 0
  const feed = createFeed({
    clock,
    start: 'x',
    look: () => state(asked),
    refresh: async () => {
      asked += 1
    },
    onBug: () => {},
  })
  feed.moved()
  t.equal(clock.pending(), 0, 'nobody reads')
  const reading = await read(feed)
  feed.moved()
  await clock.advance(500)
  t.equal(asked, 2)
  t.match(reading.events().at(-1), { type: 'rates-changed', rates: { requestsPerSecond: 2 } })
  reading.leave()
})

t.test('a look that throws cuts the readers and nothing else', async (t) => {
  const clock = createVirtualClock()
  const bugs: unknown[] = []
  let isBroken = false
  const feed = createFeed({
    clock,
    start: 'x',
    look: () => {
      if (isBroken) throw new Error('broken')
      return state(0)
    },
    refresh: async () => {},
    onBug: (error) => void bugs.push(error),
  })
  const reading = await read(feed)
  isBroken = true
  feed.changed()
  await clock.advance(300)
  t.ok(reading.isEnded())
  t.equal(bugs.length, 1)
  t.equal(clock.pending(), 0)
})

t.test('closed: everybody is told and ended, and nobody comes in any more', async (t) => {
  const { clock, feed, set } = rig()
  const reading = await read(feed)
  set(9)
  feed.close()
  feed.close()
  t.match(reading.events().at(-1), { type: 'rates-changed', rates: { requestsPerSecond: 9 } })
  t.ok(reading.isEnded())
  t.equal(clock.pending(), 0)
  const late = await read(feed)
  t.ok(late.isEnded())
  t.same(late.texts, [])
})
