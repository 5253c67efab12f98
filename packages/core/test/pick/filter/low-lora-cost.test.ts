import t from 'tap'
import { lowLoraCost } from '../../../src/pick/filter/low-lora-cost.ts'
import { runTree } from '../../../src/pick/node.ts'
import { thresholdsOf } from '../../../src/pick/settings.ts'
import { hostsOf, scripted } from '../fixtures.ts'
import { candidateOf } from '../vectors.ts'

const context = { critical: true, target: 'x', thresholds: thresholdsOf({}), random: scripted() }

const kept = (pods: Readonly<Record<string, readonly string[]>>): string[] => {
  const candidates = Object.entries(pods).map(([name, active]) =>
    candidateOf({ name, waiting: 0, kv: 0, active, maxActive: 2 }),
  )
  return hostsOf(runTree({ name: 'cost', filter: lowLoraCost }, { candidates, context }, []).survivors)
}

t.test('an endpoint that has the adapter passes however full it is', (t) => {
  t.same(kept({ full: ['y', 'z'], has: ['x', 'y', 'z'] }), ['has'])
  t.end()
})

t.test('an endpoint with room for one more passes', (t) => {
  t.same(kept({ full: ['y', 'z'], room: ['y'], empty: [] }), ['room', 'empty'])
  t.end()
})
