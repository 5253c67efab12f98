import t from 'tap'
import { DEFAULT_SERIAL, matrix, modelId, parseSets } from '../../src/index.ts'
import { model, Rig } from './rig.ts'

/** Two of each set may run beside each other. */
const pairs = (text: string) => {
  const reading = parseSets({ sets: new Map([['all', text]]), model: (name) => modelId(name) })
  if (!reading.ok) throw new Error(`no set: ${text}`)
  return matrix({ sets: reading.sets, evictCosts: new Map() })
}

t.test('what is kept for one who came first is not granted at once, though nothing drains it', (t) => {
  const models = ['A', 'B', 'C', 'D'].map((id) => model(id, { concurrencyLimit: 2 }))
  const rig = new Rig({ models, policy: DEFAULT_SERIAL, swapper: pairs('(A & D) | (B & D) | (A & C)') })
  rig.hostUp('local', [{ model: 'A' }, { model: 'D' }])
  t.same(rig.ask('A'), ['grant 1 A'])
  t.same(rig.ask('B', { priority: 9 }), [], 'A drains for it')
  t.same(rig.ask('C', { priority: 5 }), [], 'it would have to go again for B, and keeps D until then')
  t.equal(rig.cause(3), 'held-for')
  t.same(rig.ask('D'), [], 'it is idle and has two slots')
  t.equal(rig.cause(4), 'held-for')
  t.end()
})
