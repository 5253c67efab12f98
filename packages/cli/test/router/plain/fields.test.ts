import t from 'tap'
import { fieldLine } from '../../../src/router/plain/fields.ts'

t.test('a line of a head; what no header may hold is refused', async (t) => {
  t.equal(fieldLine('X-Made-Up', 'caf\u00E9\t1'), 'X-Made-Up: caf\u00E9\t1\r\n')
  for (const name of ['X A', '', 'X:', 'X\r\nY'])
    t.throws(() => fieldLine(name, '1'), { code: 'ERR_INVALID_HTTP_TOKEN' })
  for (const value of ['1\r\nX: 2', '\u0000', '\u20AC'])
    t.throws(() => fieldLine('X', value), { code: 'ERR_INVALID_CHAR' })
})
