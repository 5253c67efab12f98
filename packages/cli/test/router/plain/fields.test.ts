import t from 'tap'
import { fieldLine } from '../../../src/router/plain/fields.ts'
import { grownBy } from './support/grown.ts'

t.test('a name that was looked at once keeps nothing of the head that it came in', async (t) => {
  const long = 'x'.repeat(30_000)
  const grown = await grownBy(() => {
    for (let n = 0; n < 500; n += 1) {
      const head = Buffer.from(`X-Made-Up-By-An-Engine-${n}: ${long}`).toString('latin1')
      fieldLine(head.slice(0, head.indexOf(':')), '1')
    }
  })
  t.ok(grown < 4, `${grown.toFixed(1)} MB of 15`)
  t.equal(fieldLine('X-Made-Up-By-An-Engine-1', '2'), 'X-Made-Up-By-An-Engine-1: 2\r\n')
  t.throws(() => fieldLine('X A', '1'))
})
