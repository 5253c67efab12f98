import { execFile } from 'node:child_process'
import t from 'tap'
import { scratch } from '../../packages/core/dist/test/support/index.js'
import { testProcesses } from '../../scripts/lib/test-processes.mjs'

const TAP = JSON.stringify(import.meta.resolve('tap'))
const START = `import t from ${TAP}\n`

/** Files of tests by name, as they would lie in packages/core/test/schedule, and the processes that they are given. */
async function processesOf(t, sources, together) {
  const folder = scratch(t)
  const top = scratch(t, { packages: { core: { test: { schedule: sources } } } })
  const files = Object.keys(sources).map((name) => {
    const path = `packages/core/test/schedule/${name}`
    return { source: path, runs: path }
  })
  const paths = await testProcesses(files, { top, folder, together })
  const names = paths.map((path) => path.slice(1 + (path.startsWith(folder) ? folder : top).length))
  return { paths, names }
}

/** What one prints and how it ends. */
function ran(path) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return new Promise((resolve) => {
    execFile(process.execPath, [path], { env }, (error, output) => resolve({ code: error?.code ?? 0, output }))
  })
}

t.test(
  'quick files share processes; slow ones, and those that change what is shared, have their own and begin first',
  async (t) => {
    const quick = `t.test('x', async (t) => t.ok(t.name))`
    const { names } = await processesOf(
      t,
      {
        'a.test.mjs': quick,
        'all.test.mjs': `t.setTimeout(5)`,
        'b.test.mjs': quick,
        'c.test.mjs': quick,
        'child.test.mjs': `import { spawn } from 'node:child_process'`,
        'env.test.mjs': `process.env['TZ'] = 'UTC'`,
        'heap.test.mjs': `import { queryObjects } from 'node:v8'`,
        'x.prop.test.mjs': quick,
      },
      2,
    )
    t.same(names, [
      'packages/core/test/schedule/x.prop.test.mjs',
      'packages/core/test/schedule/all.test.mjs',
      'packages/core/test/schedule/child.test.mjs',
      'packages/core/test/schedule/env.test.mjs',
      'packages/core/test/schedule/heap.test.mjs',
      'packages+core+test+schedule+a.test.mjs and 1 beside it.test.mjs',
      'packages+core+test+schedule+c.test.mjs.test.mjs',
    ])
  },
)

t.test('files that share a process run one after the other, and none is lost for another', async (t) => {
  const { paths } = await processesOf(t, {
    'a.test.mjs': `${START}t.test('first', async (t) => { await new Promise(setImmediate); globalThis.first = true; t.pass('waited') })`,
    'b.test.mjs': `${START}const seen = globalThis.first; t.test('second', async (t) => t.ok(seen, 'loaded when the first had ended'))`,
    'empty.test.mjs': `${START}export const { name } = t`,
    'lost.test.mjs': `import './nowhere.mjs'`,
    'red.test.mjs': `${START}t.test('third', async (t) => t.equal(1, 2, 'one is two'))`,
    'z.test.mjs': `${START}t.test('last', async (t) => t.pass('ran'))`,
  })
  t.equal(paths.length, 1)
  const { code, output } = await ran(paths[0])
  t.equal(code, 1)
  const top = output.match(/^(?:not )?ok \d+ - .*?(?= # time|$)/gm).map((line) => line.replace(/- \/.*\//, '- '))
  t.same(top, [
    'ok 1 - first',
    'ok 2 - second',
    'not ok 3 - empty.test.mjs has no tests',
    'not ok 4 - lost.test.mjs cannot be loaded',
    'not ok 5 - third',
    'ok 6 - last',
  ])
  t.match(output, /nowhere\.mjs/)
})

t.test('files that share a process and pass end it with 0', async (t) => {
  const { paths } = await processesOf(t, { 'a.test.mjs': `${START}t.test('first', async (t) => t.pass('ran'))` })
  t.same((await ran(paths[0])).code, 0)
})
