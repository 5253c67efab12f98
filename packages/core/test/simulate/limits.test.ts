import t from 'tap'
import { normal, play, type Row } from './support.ts'

const longRow = (caller: string, at: number): Row => ({ at, model: 'a', tokens: 100, caller })

t.test('the drain limit cuts what runs: it counts as served, and as cut', async (t) => {
  const result = play(
    [
      { at: 0, model: 'a', tokens: 1_000 },
      { at: 2_000, model: 'b', tokens: 10 },
    ],
    { limits: { drainTimeoutMs: 3_000 } },
  )
  t.equal(result.cut, 1)
  t.equal(result.served, 2)
  // Cut at 5000, stopped by 5100, loaded by 6100
  t.equal(normal(result).maxMs, 4_100)
  t.equal(result.makespanMs, 6_200)
})

t.test('a request that waits too long is refused, and no wait is counted for it', async (t) => {
  const result = play(
    [
      { at: 0, model: 'a', tokens: 1_000 },
      { at: 100, model: 'a', tokens: 10 },
    ],
    { limits: { queueTimeoutMs: 4_000 } },
  )
  t.same(result.rejections, { wait_exceeded: 1 })
  t.equal(result.served, 1)
  t.equal(normal(result).count, 1)
})

t.test('a full queue refuses', async (t) => {
  const rows = [0, 1, 2].map((at): Row => ({ at, model: 'a' }))
  t.same(play(rows, { perModel: { queueLimit: 2 } }).rejections, { queue_full: 1 })
})

t.test('idle unload stops the model, and the next request loads it again', async (t) => {
  const result = play(
    [
      { at: 0, model: 'a', tokens: 10 },
      { at: 9_000, model: 'a', tokens: 10 },
    ],
    { perModel: { idleMs: 2_000 } },
  )
  t.equal(result.swaps, 2)
  t.equal(normal(result).maxMs, 1_000)
  // From 1100 to the stop at 3100, and from its end at 3200 to 9000
  t.equal(result.idleMs, 2_000 + 5_800)
})

t.test('a request that comes while its model is stopped for idleness waits for the stop and the load', async (t) => {
  const result = play(
    [
      { at: 0, model: 'a', tokens: 10 },
      { at: 3_150, model: 'a', tokens: 10 },
    ],
    { perModel: { idleMs: 2_000 } },
  )
  t.equal(normal(result).maxMs, 1_050)
})

t.test('a load that nobody waits for any more and whose room is wanted is given up: a wasted load', async (t) => {
  const result = play(
    [
      { at: 0, model: 'a', tokens: 10 },
      { at: 800, model: 'b', tokens: 10 },
    ],
    { limits: { queueTimeoutMs: 900 } },
  )
  // a's only waiter is refused at 900; its load is aborted, b is loaded from 1000 on and its waiter refused at 1700
  t.same(result.rejections, { wait_exceeded: 2 })
  t.equal(result.wastedLoads, 2)
  t.equal(result.served, 0)
  t.equal(result.swaps, 2)
})

t.test('fairness between callers: alike at first, less so when one waits all the time', async (t) => {
  // Both are served for 1000 of 2000 ms
  t.equal(play([longRow('x', 0), longRow('y', 1_000)]).jainFairness, 1)
  // x: 1000 of 2000 ms in service, y: 1000 of 3000
  const one = 1 / 2
  const other = 1 / 3
  const expected = (one + other) ** 2 / (2 * (one ** 2 + other ** 2))
  const { jainFairness } = play([longRow('x', 0), longRow('y', 0)])
  t.ok(Math.abs(jainFairness - expected) < 1e-12, `${jainFairness}`)
})
