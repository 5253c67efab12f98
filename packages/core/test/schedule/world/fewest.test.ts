import t from 'tap'
import { fewestOf } from './fewest.ts'

t.test('what must happen in a share of the traces is asked for as far as chance allows', async (t) => {
  t.equal(fewestOf(100), 0, 'so few may all miss it')
  t.equal(fewestOf(150), 1)
  t.equal(fewestOf(1_000), 79)
  t.ok(fewestOf(100_000) > 13_000, 'many come close to the share')
})
