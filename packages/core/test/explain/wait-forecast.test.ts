import t from 'tap'
import { DEFAULT_SERIAL, type QueueEntry } from '../../src/index.ts'
import type { RigOptions } from '../schedule/fixtures.ts'
import { model, Rig } from '../schedule/rig.ts'

const rigWith = (options: Partial<RigOptions> = {}): Rig => {
  const rig = new Rig({ models: ['A', 'B', 'C'].map((id) => model(id)), ...options })
  rig.hostUp('local', [{ model: 'A' }])
  return rig
}

/** Loads take 10 s, stops 2 s and service 4 s, each seen often enough to be sure. */
const measured = (options: Partial<RigOptions> = {}): Rig => {
  const rig = rigWith(options)
  let swaps = 0
  for (let round = 0; round < 21; round += 1) {
    for (const id of ['B', 'C', 'A']) {
      const request = rig.upcoming
      rig.ask(id)
      swaps += 1
      rig.ready(swaps, { loadMs: 10_000, stopMs: 2_000 })
      rig.pass(4_000)
      rig.served(request)
    }
  }
  return rig
}

const entry = (rig: Rig, request: number): QueueEntry | undefined => rig.scheduler.explain(request as never, rig.now)
const median = (rig: Rig, request: number): number | undefined => entry(rig, request)?.estimate?.medianMs

t.test('what was never measured is no estimate, and is named', (t) => {
  const rig = rigWith()
  rig.ask('A')
  rig.ask('B')
  t.match(entry(rig, 2), {
    estimate: undefined,
    unmeasured: [
      { measure: 'service', model: 'A' },
      { measure: 'stop', model: 'A' },
      { measure: 'load', model: 'B' },
    ],
  })
  t.end()
})

t.test('a running load: what is left of its stop and its load', (t) => {
  const rig = measured()
  const request = rig.upcoming
  rig.ask('B')
  t.equal(median(rig, request), 12_000)
  rig.pass(5_000)
  t.equal(median(rig, request), 7_000)
  t.same(entry(rig, request)?.unmeasured, [])
  t.end()
})

t.test('a load that is later than all before is not promised for now', (t) => {
  const rig = measured()
  const request = rig.upcoming
  rig.ask('B')
  rig.pass(40_000)
  t.match(entry(rig, request)?.estimate, { lowMs: 0, medianMs: 0 })
  t.ok((entry(rig, request)?.estimate?.highMs ?? 0) > 20_000)
  t.end()
})

t.test('draining: the rest of what runs, the stop, the load, and those ahead', (t) => {
  const rig = measured()
  const first = rig.upcoming
  rig.ask('A')
  rig.ask('B')
  rig.ask('B')
  rig.pass(1_000)
  t.equal(median(rig, first + 1), 3_000 + 2_000 + 10_000)
  t.equal(median(rig, first + 2), 3_000 + 2_000 + 10_000 + 4_000, 'the other is served first')
  t.end()
})

t.test('a drain ends with its limit at the latest, also where service was never measured', (t) => {
  const rig = measured({ limits: { drainTimeoutMs: 1_500 } })
  const request = rig.upcoming + 1
  rig.ask('A')
  rig.ask('B')
  rig.pass(500)
  t.equal(median(rig, request), 1_000 + 2_000 + 10_000)
  t.equal(entry(rig, request)?.estimate?.isLimit, undefined)

  const fresh = rigWith({ limits: { drainTimeoutMs: 1_500 } })
  fresh.ask('B')
  fresh.ready(1, { loadMs: 10_000, stopMs: 2_000 })
  fresh.unload(['B'])
  fresh.cancel(1)
  fresh.served(1)
  fresh.stopDone(2)
  fresh.served(1)
  fresh.hostUp('local', [{ model: 'A' }])
  fresh.ask('A')
  fresh.ask('B')
  t.match(entry(fresh, 3), {
    estimate: { medianMs: 1_500 + 2_000 + 10_000, isLimit: true },
    unmeasured: [{ measure: 'service', model: 'A' }],
  })
  t.end()
})

t.test('full slots become free one after the other', (t) => {
  const models = [model('A', { concurrencyLimit: 2 }), model('B')]
  const rig = rigWith({ models })
  rig.ask('A')
  rig.pass(4_000)
  rig.served(1)
  rig.ask('A')
  rig.pass(1_000)
  rig.ask('A')
  for (let count = 0; count < 3; count += 1) rig.ask('A')
  t.same(
    [4, 5, 6].map((request) => median(rig, request)),
    [3_000, 4_000, 3_000 + 4_000],
  )
  t.end()
})

t.test('held: the other first, then the way back', (t) => {
  const rig = measured({ policy: { ...DEFAULT_SERIAL, fairShare: false } })
  const first = rig.upcoming
  rig.ask('A')
  rig.ask('B', { priority: 50 })
  rig.ask('A')
  const why = `slots full: 1 of 1 of A, then held for request ${first + 1} (priority 50)`
  t.equal(entry(rig, first + 2)?.sentence, why, 'not for the next free slot')
  const theirs = 4_000 + 2_000 + 10_000
  t.equal(median(rig, first + 1), theirs)
  t.equal(median(rig, first + 2), theirs + 4_000 + 2_000 + 10_000)
  t.end()
})

t.test('another swap: its rest, its request, and the way back', (t) => {
  const rig = measured()
  const request = rig.upcoming + 1
  rig.ask('B')
  rig.ask('C')
  t.equal(rig.cause(request), 'swap-running')
  rig.pass(2_000)
  t.match(entry(rig, request)?.estimate, { medianMs: 10_000 + 4_000 + 2_000 + 10_000 })
  t.ok((entry(rig, request)?.estimate?.lowMs ?? 0) < 10_000 + 2_000 + 10_000, 'it may be that nobody wants it any more')
  t.end()
})

t.test('a stop, a cooldown and a residency end before the load begins', (t) => {
  const stopping = measured()
  stopping.ask('A')
  stopping.pass(1_000)
  stopping.unload(['A'])
  const again = stopping.upcoming
  stopping.ask('A')
  t.equal(stopping.cause(again), 'stopping')
  t.equal(median(stopping, again), 3_000 + 2_000 + 10_000)

  const broken = measured()
  const retried = broken.upcoming
  broken.ask('A')
  broken.pass(100)
  broken.crashed('A')
  broken.served(retried, 'retry')
  broken.pass(400)
  t.equal(broken.cause(retried), 'cooldown')
  t.equal(median(broken, retried), 600 + 10_000)

  const kept = measured({ policy: { ...DEFAULT_SERIAL, minResidencyMs: 30_000 } })
  const first = kept.upcoming
  kept.ask('A')
  kept.ask('A')
  kept.ask('B', { priority: 90 })
  t.equal(kept.cause(first + 2), 'residency')
  // Loaded 4 s ago, when the last request of the measurements began
  t.equal(median(kept, first + 2), 26_000 + 4_000 + 2_000 + 10_000)
  t.end()
})

t.test('what only a person can end has no estimate, and nothing to measure', (t) => {
  const rig = measured()
  const stop = rig.unload(['A'])[0]?.split(' ')[1]
  rig.stopDone(Number(stop), ['A'])
  const request = rig.upcoming
  rig.ask('B')
  t.equal(rig.cause(request), 'stuck')
  t.match(entry(rig, request), { estimate: undefined, unmeasured: [] })
  t.equal(entry(rig, request)?.unmeasured.length, 0)
  t.end()
})

t.test('one sample says from half to double, many are taken at their word', (t) => {
  const one = rigWith()
  one.ask('B')
  one.ready(1, { loadMs: 10_000 })
  one.served(1)
  one.ask('A')
  one.ready(2)
  one.served(2)
  one.ask('B')
  t.match(entry(one, 3)?.estimate, { lowMs: 5_000, medianMs: 10_000, highMs: 20_000 })
  const many = measured()
  const request = many.upcoming
  many.ask('B')
  const estimate = entry(many, request)?.estimate
  t.ok(estimate !== undefined && estimate.lowMs > 11_000 && estimate.highMs < 13_000)
  t.end()
})
