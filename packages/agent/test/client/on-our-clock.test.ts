import { epoch } from '@lswap/core'
import t from 'tap'
import { onOurClock } from '../../src/client/on-our-clock.ts'

t.test('times move to our clock, and processes get our numbers', async (t) => {
  const nothing = { pid: null, memoryBytes: null, deviceBytes: null }
  const metrics = {
    at: 1_000,
    memory: null,
    devices: [],
    processes: [
      { model: 'a', epoch: 2, engine: { kv: 0, sampledAt: 900 }, ...nothing },
      { model: 'b', epoch: null, engine: null, ...nothing },
    ],
  }
  t.match(onOurClock(metrics, { ours: (theirs) => epoch(theirs + 10) }, 5_000), {
    at: 5_000,
    processes: [
      { epoch: 12, engine: { kv: 0, sampledAt: 4_900 } },
      { epoch: null, engine: null },
    ],
  })
})
