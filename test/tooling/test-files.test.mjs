import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '../../packages/core/dist/test/support/index.js'
import t from 'tap'
import { compiledFile, testFiles } from '../../scripts/lib/test-files.mjs'

t.test('tests are listed from sources, so the compiled file of a deleted test never runs', async (t) => {
  const top = scratch(t, {
    packages: {
      core: {
        test: { schedule: { 'fifo.test.ts': '', 'fleet.ts': '' } },
        dist: { test: { 'deleted.test.js': '' } },
      },
      cli: { test: { 'serve.prop.test.ts': '' } },
    },
    test: { 'tool.test.mjs': '' },
  })
  await mkdir(join(top, 'packages/agent'))
  t.same(await testFiles(top), [
    { source: 'packages/cli/test/serve.prop.test.ts', runs: 'packages/cli/dist/test/serve.prop.test.js' },
    { source: 'packages/core/test/schedule/fifo.test.ts', runs: 'packages/core/dist/test/schedule/fifo.test.js' },
    { source: 'test/tool.test.mjs', runs: 'test/tool.test.mjs' },
  ])
})

t.test('a test that needs no compiling runs as it is', async (t) => {
  t.equal(compiledFile('test/tooling/a.test.mjs'), 'test/tooling/a.test.mjs')
})
