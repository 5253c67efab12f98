import t from 'tap'
import { createEpochs } from '../../src/client/epochs.ts'

t.test('numbers go on after those of an earlier client of the host', async (t) => {
  const epochs = createEpochs(7)
  epochs.begin('start')
  t.equal(epochs.ours(1), 8)
  t.equal(epochs.theirs(epochs.ours(2)), 2)
  t.equal(epochs.theirs(createEpochs().ours(7)), undefined, 'of the earlier one')
  t.equal(epochs.highest(), 9)
  epochs.begin('another start')
  t.equal(epochs.ours(1), 10)
})
