import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { lookAtFiles } from '../../../src/commands/serve/look-at-files.ts'

/** Whether the files look otherwise after something happened to them. */
const isSeen = async (files: Parameters<typeof lookAtFiles>[0], change: () => void): Promise<boolean> => {
  const before = await lookAtFiles(files)
  if (before !== (await lookAtFiles(files))) throw new Error('it looks otherwise without a change')
  change()
  return before !== (await lookAtFiles(files))
}

t.test('writes, exchanges and removals are seen', async (t) => {
  const dir = scratch(t, { 'c.yaml': 'abc' })
  const file = join(dir, 'c.yaml')
  const files = { files: [file] }
  t.ok(await isSeen(files, () => writeFileSync(file, 'abcd')), 'another size')
  t.ok(
    await isSeen(files, () => {
      writeFileSync(join(dir, 'new'), 'abcd')
      renameSync(join(dir, 'new'), file)
    }),
    'another file under the name, as editors write it',
  )
  t.ok(await isSeen(files, () => rmSync(file)), 'gone')
  t.ok(await isSeen(files, () => writeFileSync(file, 'abcd')), 'and back')
  t.notOk(await isSeen(files, () => writeFileSync(join(dir, 'other.yaml'), 'x')), 'another file is none of ours')
})

t.test('the same size in the same place is seen by its time', async (t) => {
  const file = join(scratch(t, { 'c.yaml': 'abc' }), 'c.yaml')
  const before = await lookAtFiles({ files: [file] })
  // Times of a file system may be as coarse as some milliseconds
  for (let tries = 0; before === (await lookAtFiles({ files: [file] })) && tries < 10_000; tries += 1)
    writeFileSync(file, 'xyz')
  t.not(await lookAtFiles({ files: [file] }), before)
})

t.test(
  'links are followed: to another target, and through a folder that is exchanged as Kubernetes does it',
  async (t) => {
    const dir = scratch(t, { one: { 'c.yaml': 'abc' }, two: { 'c.yaml': 'abc' } })
    symlinkSync('one', join(dir, '..data'))
    symlinkSync(join('..data', 'c.yaml'), join(dir, 'c.yaml'))
    const files = { files: [join(dir, 'c.yaml')] }
    t.ok(
      await isSeen(files, () => {
        symlinkSync('two', join(dir, '..data_tmp'))
        renameSync(join(dir, '..data_tmp'), join(dir, '..data'))
      }),
      'the folder behind the link',
    )
    t.ok(await isSeen(files, () => writeFileSync(join(dir, 'two', 'c.yaml'), 'abcd')), 'what is behind the link')
  },
)

t.test('of a folder those files count whose names do, as they come and go', async (t) => {
  const dir = scratch(t, { 'a.yaml': 'a', notes: 'n' })
  const files = { files: [], folder: { path: dir, counts: (name: string) => name.endsWith('.yaml') } }
  t.ok(await isSeen(files, () => writeFileSync(join(dir, 'b.yaml'), 'b')), 'one came')
  t.ok(await isSeen(files, () => writeFileSync(join(dir, 'a.yaml'), 'aa')), 'one changed')
  t.notOk(await isSeen(files, () => writeFileSync(join(dir, 'notes'), 'nn')), 'not one of ours')
  t.ok(await isSeen(files, () => rmSync(join(dir, 'a.yaml'))), 'one went')
  t.ok(await isSeen(files, () => rmSync(dir, { recursive: true })), 'the folder went')
  t.ok(
    await isSeen(files, () => {
      mkdirSync(dir)
      writeFileSync(join(dir, 'b.yaml'), 'b')
    }),
    'and came back',
  )
})
