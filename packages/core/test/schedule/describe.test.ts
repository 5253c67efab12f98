import t from 'tap'
import { describeDecisions } from '../../src/index.ts'
import { configOf, withModel } from '../config/reading.ts'

t.test('what decides, in one sentence', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    [
      '',
      'serial decides the order; one model at a time (no groups, matrix or router configured); tree picks the replica (llama)',
    ],
    [
      'groups: { g: { members: [a] } }',
      'serial decides the order; groups decide what must go (groups are configured); tree picks the replica (llama)',
    ],
    [
      'matrix: { sets: { s: a } }\nrouting: { scheduler: { use: fifo }, picker: { profile: seed } }',
      'fifo decides the order; the matrix decides what must go (a matrix is configured); tree picks the replica (seed)',
    ],
    [
      'devices: { gpu0: 8GiB }\nrouting: { router: { use: memory }, picker: { use: least-loaded } }',
      'serial decides the order; what fits into memory stays (routing.router.use is memory); least-loaded picks the replica',
    ],
  ]
  for (const [text, sentence] of cases) t.equal(describeDecisions(configOf(withModel(text))), sentence)
})
