import t from 'tap'
import { turnText } from '../../src/print/estimate.ts'

t.test('a turn is told by what was measured, and is not in 0.0 s where that is over', async (t) => {
  t.equal(turnText({ lowMs: 6_000, medianMs: 8_000, highMs: 16_000 }), 'its turn is expected in 8.0 s (6.0 s – 16 s)')
  t.equal(
    turnText({ lowMs: 0, medianMs: 0, highMs: 5_700 }),
    'its turn is expected any moment, most likely within 5.7 s',
  )
  t.equal(turnText({ lowMs: 0, medianMs: 0, highMs: 20 }), 'its turn is expected any moment')
  t.equal(turnText({ lowMs: 0, medianMs: 0, highMs: 9_000, isLimit: true }), 'its turn comes in at most 9.0 s')
})
