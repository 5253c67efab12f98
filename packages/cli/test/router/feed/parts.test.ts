import { epoch, generation, hostId, modelId, type Swap, type SwapResult } from '@lswap/core'
import type { FeedState } from '@lswap/core/protocol'
import { feedState } from '@lswap/core/test-support'
import t from 'tap'
import { createNotices } from '../../../src/router/feed/notices.ts'
import { createRate } from '../../../src/router/feed/rate.ts'
import { steady } from '../../../src/router/feed/steady.ts'
import { createSwapBook } from '../../../src/router/feed/swap-book.ts'
import { createWaits } from '../../../src/router/feed/waits.ts'
import { createWastedLoads } from '../../../src/router/feed/wasted-loads.ts'
import { recordingLog } from '../support/log.ts'

const clock = { at: 0, now: (): number => clock.at }

const swap = (number: number, changes: Partial<Swap> = {}): Swap => ({
  generation: generation(number),
  model: modelId('a'),
  host: hostId('local'),
  evict: [],
  ...changes,
})

const timings = { stopMs: 0, memoryMs: 0, loadMs: 0 }
const READY: SwapResult = { outcome: 'ready', epoch: epoch(1), evictions: [], timings }

t.test('a rate counts its window and forgets what lies before', (t) => {
  clock.at = 100_000
  const rate = createRate(clock, 10)
  for (let count = 0; count < 20; count += 1) rate.count()
  t.equal(rate.perSecond(), 2)
  clock.at += 9_000
  rate.count()
  t.equal(rate.perSecond(), 2.1)
  clock.at += 1_000
  t.equal(rate.perSecond(), 0.1, 'the first second is out')
  clock.at += 3_600_000
  t.equal(rate.perSecond(), 0)
  t.end()
})

t.test('waits: the 95th of the latest hundred', (t) => {
  const waits = createWaits()
  t.equal(waits.p95(modelId('a')), undefined)
  for (let ms = 1; ms <= 200; ms += 1) waits.add(modelId('a'), ms)
  t.equal(waits.p95(modelId('a')), 195)
  waits.add(modelId('b'), 7)
  t.equal(waits.p95(modelId('b')), 7)
  t.end()
})

t.test('a load is wasted when nothing was granted to it before its end, whichever that is', (t) => {
  const wasted = createWastedLoads()
  const a = { model: modelId('a'), host: hostId('local') }
  wasted.swapEnded(swap(1), READY)
  wasted.granted(a)
  wasted.stopEnded([{ placement: a, outcome: 'stopped' }])
  t.equal(wasted.count(), 0, 'it was used')
  wasted.swapEnded(swap(2), READY)
  wasted.stopEnded([{ placement: a, outcome: 'stopped' }])
  t.equal(wasted.count(), 1, 'unloaded')
  wasted.swapEnded(swap(3), READY)
  wasted.swapEnded(swap(4, { model: modelId('b') }), { ...READY, evictions: [{ model: a.model, outcome: 'stopped' }] })
  t.equal(wasted.count(), 2, 'evicted')
  wasted.swapEnded(swap(5, { model: modelId('b') }), READY)
  t.equal(wasted.count(), 3, 'it crashed and is loaded again')
  wasted.swapEnded(swap(6), { outcome: 'aborted', evictions: [], timings })
  t.equal(wasted.count(), 4, 'given up')
  t.end()
})

t.test('a swap goes through its phases; a few that ended stay', (t) => {
  clock.at = 5_000
  const book = createSwapBook(clock)
  const all = () => book.all(() => 7)
  const first = swap(1, { evict: [modelId('b')] })
  book.started(first)
  t.match(all()[0], { generation: 1, phase: 'stopping', evict: ['b'], startedAt: 5_000, loadingAt: null })
  book.progressed(first, { type: 'waiting-memory' })
  t.match(all()[0], { phase: 'waiting-memory' })
  clock.at = 6_000
  book.progressed(first, { type: 'spawned', pid: 7 })
  clock.at = 7_000
  book.progressed(first, { type: 'loading', fraction: 0.5 })
  book.progressed(first, { type: 'loading' })
  t.match(all()[0], { phase: 'loading', loadingAt: 6_000, fraction: 0.5, result: null })
  book.ended(first, { outcome: 'failed', failure: { code: 'start_failed', message: 'no' }, evictions: [], timings })
  t.match(all()[0], { result: 'failed', endedAt: 7_000, failure: { code: 'start_failed', message: 'no' } })
  for (let number = 2; number < 40; number += 1) {
    book.started(swap(number))
    if (number !== 3) book.ended(swap(number), READY)
  }
  t.equal(all().length, 21, 'twenty that ended, and the one that runs')
  t.equal(all()[0]?.generation, 39)
  t.equal(all().at(-1)?.generation, 3)
  t.end()
})

t.test('warnings and errors are kept with their reason, model and host, and go on to the log', (t) => {
  clock.at = 1_000
  const log = recordingLog()
  const notices = createNotices(log, clock, (text) => text.replaceAll('swordfish', '***'))
  let told = 0
  notices.listen(() => (told += 1))
  notices.log.info({ model: 'a' }, 'nothing')
  notices.log.warn({ model: 'a', host: 'local', reason: 'it broke, swordfish' }, 'swap failed')
  notices.log.error({ placement: { model: 'b', host: 'far' }, err: new Error('oh') }, 'bug')
  t.match(notices.latest(), [
    { number: 2, level: 'error', text: 'bug: oh', model: 'b', host: 'far' },
    { number: 1, at: 1_000, level: 'warn', text: 'swap failed: it broke, ***', model: 'a', host: 'local' },
  ])
  t.same([log.lines.length, told], [3, 2])
  for (let count = 0; count < 100; count += 1) notices.log.warn({}, 'x'.repeat(1_000))
  t.equal(notices.latest().length, 50)
  t.equal(notices.latest()[0]?.text.length, 500)
  t.end()
})

const EMPTY = feedState()

const WAITING = {
  id: 1,
  model: 'a',
  band: 'normal',
  priority: 0,
  caller: 'x',
  receivedAt: 0,
  position: 1,
  attempts: 0,
  cause: null,
}

const PLACEMENT = {
  host: 'local',
  state: 'ready',
  since: 0,
  slots: 1,
  inFlight: 0,
  idleAt: null,
  untilAt: null,
  pid: 1,
  expectedLoadMs: null,
  failure: null,
}

/** A request expected at a time, and a model of a size. */
const withFigures = (ms: number, memoryBytes: number): FeedState => ({
  ...EMPTY,
  waiting: [{ ...WAITING, estimate: { lowAt: ms, medianAt: ms, highAt: ms } }],
  models: [
    {
      model: 'a',
      name: null,
      aliases: [],
      state: 'ready',
      pinned: false,
      waiting: 0,
      waitP95Ms: null,
      placements: [{ ...PLACEMENT, memoryBytes }],
    },
  ],
})

const figuresOf = ({ waiting, models }: FeedState) => [
  waiting[0]?.estimate?.medianAt,
  models[0]?.placements[0]?.memoryBytes,
]

const after = (before: FeedState, seen: FeedState, now: number) => figuresOf(steady(before, seen, now))

t.test('figures that tremble are told once', (t) => {
  t.same(after(withFigures(10_000, 1_000), withFigures(10_400, 1_009), 9_000), [10_000, 1_000])
  t.same(after(withFigures(10_000, 1_000), withFigures(10_600, 1_020), 9_000), [10_600, 1_020])
  t.same(after(withFigures(30_000, 1), withFigures(31_000, 1), 10_000)[0], 30_000, 'a tenth of twenty seconds')
  t.end()
})
