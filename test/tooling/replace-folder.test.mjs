import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '../../packages/core/dist/test/support/index.js'
import t from 'tap'
import { replaceFolder } from '../../scripts/lib/replace-folder.mjs'

t.test('a folder holds the new files alone, and one that is the same is not touched', async (t) => {
  const folder = scratch(t, { 'same.js': 'a', 'other.js': 'b', 'stale.js': 'c' })
  const before = await stat(join(folder, 'same.js'))
  const file = (name, text) => ({ path: join(folder, name), contents: Buffer.from(text) })
  await replaceFolder(folder, [file('same.js', 'a'), file('other.js', 'B'), file('new.js', 'd')])
  t.same((await readdir(folder)).toSorted(), ['new.js', 'other.js', 'same.js'])
  t.equal(await readFile(join(folder, 'other.js'), 'utf8'), 'B')
  t.equal((await stat(join(folder, 'same.js'))).ino, before.ino)
})
