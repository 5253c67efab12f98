import t from 'tap'
import { DEFAULT_SERIAL, requestId, type SchedulerOptions } from '../../src/index.ts'
import { model, Rig } from '../schedule/rig.ts'

const POLICIES: readonly SchedulerOptions['policy'][] = [{ use: 'fifo', fairAfterMs: 60_000 }, DEFAULT_SERIAL]

/** Three models, one of them loaded and measured; priorities of all kinds, some without a slot. */
const crowd = (policy: SchedulerOptions['policy']): Rig => {
  const rig = new Rig({ policy, models: ['A', 'B', 'C'].map((id) => model(id, { concurrencyLimit: 2 })) })
  for (const [at, id] of ['B', 'C', 'A'].entries()) {
    rig.ask(id)
    rig.ready(at + 1, { loadMs: 10_000, stopMs: 2_000 })
    rig.pass(4_000)
    rig.served(at + 1)
  }
  for (let at = 0; at < 60; at += 1) {
    rig.pass(700)
    rig.ask(['A', 'B', 'C'][at % 3] as string, { priority: ((at * 7) % 11) - 5, takesSlot: at % 5 !== 0 })
  }
  return rig
}

for (const policy of POLICIES) {
  t.test(`${policy.use}: however few are read, they are the first of all, and look the same`, (t) => {
    const { scheduler, now } = crowd(policy)
    const all = scheduler.queue(now)
    t.ok(all.length > 50, 'many wait')
    t.ok(new Set(all.map(({ estimate }) => estimate?.medianMs)).size > 5, 'for different times')
    for (const limit of [0, 1, 2, 7, 31, all.length - 1, all.length, all.length + 5]) {
      t.same(scheduler.queue(now, limit), all.slice(0, limit), `the first ${limit}`)
    }
    t.end()
  })

  t.test(`${policy.use}: each one is explained like in the queue, wherever it stands`, (t) => {
    const { scheduler, now } = crowd(policy)
    for (const entry of scheduler.queue(now)) t.same(scheduler.explain(entry.request, now), entry)
    t.equal(scheduler.explain(requestId(999), now), undefined)
    t.end()
  })
}
