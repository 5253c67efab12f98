import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelId } from '@lswap/core'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { fileNameOf, openSlotFolder, type SlotFolder } from '../../src/slot-files/folder.ts'

const [a, b] = [modelId('../../etc/passwd'), modelId('b')]

t.test('names are hashes, whatever a model is called', async (t) => {
  const name = fileNameOf({ model: a, key: 'k', slot: 3 })
  t.match(name, /^[0-9a-f]{16}-[0-9a-f]{16}-3$/)
  t.not(name, fileNameOf({ model: b, key: 'k', slot: 3 }))
  t.not(name, fileNameOf({ model: a, key: 'other', slot: 3 }))
})

t.test(
  'what is saved under the same key is found in order of its slots, and what other keys left is removed',
  async (t) => {
    const folder = openSlotFolder(join(scratch(t), 'slots'))
    await folder.make()
    t.same(await folder.saved(a, 'now'), [])
    t.equal((await stat(folder.path)).mode & 0o777, 0o700)
    const put = (model: typeof a, key: string, slot: number): Promise<void> =>
      writeFile(join(folder.path, fileNameOf({ model, key, slot })), '')
    await Promise.all([put(a, 'now', 10), put(a, 'now', 2), put(a, 'before', 1), put(b, 'before', 1)])
    t.same(await folder.saved(a, 'now'), [2, 10])
    t.same(await folder.saved(a, 'before'), [])
    t.same(await folder.saved(b, 'before'), [1])
  },
)

t.test('models that keep nothing any more leave nothing, and files of others are not touched', async (t) => {
  const path = join(scratch(t), 'slots')
  const folder = openSlotFolder(path)
  await folder.keepOnly([a])
  await mkdir(path)
  const [kept, left] = [a, b].map((model) => fileNameOf({ model, key: 'k', slot: 0 })) as [string, string]
  await Promise.all([kept, left, 'mine.txt'].map((name) => writeFile(join(path, name), '')))
  await folder.keepOnly([a])
  t.same((await readdir(path)).toSorted(), [kept, 'mine.txt'].toSorted())
})

const withFree = (bavail: number): SlotFolder => openSlotFolder('/anywhere', async () => ({ bavail, blocks: 100 }))

t.test('a tenth of the disk stays free', async (t) => {
  t.equal(await withFree(10).hasRoom(), true)
  t.equal(await withFree(9).hasRoom(), false)
})
