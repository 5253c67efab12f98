import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { openTermFile } from '../../src/state/term-file.ts'
import { ownToken, readToken } from '../../src/state/token.ts'

t.test('a token is made once, for its owner alone', async (t) => {
  const dir = join(scratch(t), 'state')
  const first = await ownToken(dir)
  t.match(first.token, /^[\w-]{43}$/)
  t.equal((await stat(first.path)).mode & 0o777, 0o600)
  t.same(await ownToken(dir), first)
  t.not((await ownToken(join(dir, 'other'))).token, first.token)
})

t.test('a file without a good token is refused, and the message does not hold what is in it', async (t) => {
  const dir = scratch(t, { short: 'secret', two: 'one secret and another', empty: '' })
  for (const name of ['short', 'two', 'empty', 'missing']) {
    const error = await readToken(join(dir, name)).catch((thrown: Error) => thrown)
    t.match(error, { code: 'invalid_config' }, name)
    t.notMatch((error as Error).message, /secret/)
  }
})

t.test('the highest term outlives the agent, and nonsense counts as none', async (t) => {
  const dir = scratch(t)
  const file = await openTermFile(dir)
  t.equal(file.first, 0)
  await Promise.all([file.write(1), file.write(2)])
  t.equal((await openTermFile(dir)).first, 2)
  await writeFile(join(dir, 'term'), 'x')
  t.equal((await openTermFile(dir)).first, 0)
})
