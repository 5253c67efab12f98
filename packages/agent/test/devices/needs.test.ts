import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { createNeeds } from '../../src/devices/needs.ts'
import type { Peak } from '../../src/state/peaks-file.ts'
import { model } from '../process/support/models.ts'

t.test('declared before measured before estimated, and whoever wants to know hears of a change', async (t) => {
  const path = join(scratch(t, {}), 'm.gguf')
  await writeFile(path, Buffer.alloc(1_000))
  const cmd = `engine -m ${path} --port \${PORT}`
  const declared = model('declared', { cmd, memory: 5 })
  const spread = model('spread', { cmd, memory: new Map([['gpu0', 7]]) })
  const models = [declared, spread, model('measured', { cmd: `${cmd} -v` }), model('file', { cmd }), model('who')]
  const peaks = new Map<string, Peak>()
  let changes = 0
  let now = 0
  const needs = createNeeds({
    models: () => models,
    peakOf: ({ id }) => peaks.get(id),
    hasCards: async () => true,
    clock: { now: () => now },
    onChange: () => {
      changes += 1
    },
  })
  await needs.estimate()
  t.equal(changes, 1)
  t.same(needs.list(), [
    { model: 'declared', bytes: 5, source: 'declared' },
    { model: 'spread', bytes: { gpu0: 7 }, source: 'declared' },
    { model: 'measured', bytes: 1_000, source: 'estimated' },
    { model: 'file', bytes: 1_000, source: 'estimated' },
  ])
  needs.look()
  t.equal(changes, 1, 'nothing new')
  peaks.set('measured', new Map([['gpu0', 9]]))
  needs.look()
  t.equal(changes, 2)
  t.match(needs.list()[2], { bytes: { gpu0: 9 }, source: 'measured' })

  await rm(path)
  const late = model('late', { cmd: `${cmd} --late` })
  models.push(late)
  await needs.estimate()
  t.notOk(needs.list().some(({ model: id }) => id === 'late'))
  await writeFile(path, Buffer.alloc(2_000))
  await needs.estimate()
  t.notOk(
    needs.list().some(({ model: id }) => id === 'late'),
    'files are not looked for all the time',
  )
  now += 60_000
  await needs.estimate()
  t.match(needs.list().at(-1), { model: 'late', bytes: 2_000 })
})
