import t from 'tap'
import { slowFirst } from '../../scripts/lib/test-order.mjs'

t.test('what takes long begins first; the rest stays as it was', async (t) => {
  const quick = ['packages/cli/test/print/table.test.ts', 'packages/core/test/pick/tree.test.ts']
  const slow = ['packages/core/test/schedule/serial.prop.test.ts', 'packages/cli/test/e2e/swap.test.ts']
  const files = [...quick, ...slow.toReversed()].map((source) => ({ source }))
  t.same(
    slowFirst(files).map(({ source }) => source),
    [...slow, ...quick],
  )
})
