import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { endAllIn } from '../../scripts/lib/mutants/end-all-in.mjs'
import { placeFault } from '../../scripts/lib/mutants/place.mjs'
import { listOf, parseMutants, readMutants } from '../../scripts/lib/mutants/read.mjs'
import { filterMutants, splitByChange } from '../../scripts/lib/mutants/select.mjs'
import { sortMutants } from '../../scripts/lib/mutants/sort.mjs'
import { judgeRun } from '../../scripts/lib/mutants/verdict.mjs'
import { root } from '../../scripts/lib/root.mjs'
import { atEnd, scratch } from '../../packages/core/dist/test/support/index.js'

const mutant = { file: 'src/a.ts', find: '<', replace: '<=', test: 'test/a.test.ts', name: 'a limit holds' }
const other = { ...mutant, file: 'src/b.ts', test: 'test/b.test.ts', name: 'b limit holds' }
const parse = (mutants) => parseMutants(JSON.stringify(mutants), 'test/mutants/src.json')
const run = { exitCode: 1, timedOut: false, failing: ['a limit holds'], output: '' }

t.test('a mutant is killed by the test that it names', async (t) => {
  t.equal(judgeRun(run, 'a limit holds').outcome, 'killed')
  t.equal(judgeRun(run, undefined).outcome, 'killed')
  t.equal(judgeRun({ ...run, exitCode: undefined, timedOut: true }, 'a limit holds').outcome, 'killed')
})

t.test('a mutant survives when its test passes, or when only another one fails', async (t) => {
  t.equal(judgeRun({ ...run, exitCode: 0, failing: [] }, undefined).outcome, 'SURVIVED')
  t.match(judgeRun(run, 'b limit holds'), { outcome: 'SURVIVED', detail: /'b limit holds' does not fail/ })
})

t.test('a test file that does not load proves nothing', async (t) => {
  const output = 'SyntaxError: does not provide an export'
  t.match(judgeRun({ ...run, failing: [], output }, undefined), { outcome: 'INVALID', detail: /SyntaxError/ })
})

t.test('a mutant counts as changed by its source, its test or its own entry', async (t) => {
  const split = (paths, before) => splitByChange([mutant, other], { paths: new Set(paths), before }).changed
  t.same(split(['src/a.ts'], [mutant, other]), [mutant])
  t.same(split(['test/b.test.ts'], [mutant, other]), [other])
  t.same(split(['README.md'], [mutant, other]), [])
  t.same(split([], [mutant]), [other])
})

t.test('mutants are chosen by a part of source, test or name', async (t) => {
  t.same(filterMutants([mutant, other], ['src/b', 'nowhere']), [other])
  t.same(filterMutants([mutant, other], ['a limit']), [mutant])
  t.same(filterMutants([mutant, other], []), [mutant, other])
})

t.test('a list with a wrong entry is refused with its place', async (t) => {
  t.throws(() => parse([mutant, { ...mutant, tset: 'x' }]), /test\/mutants\/src\.json\[1\]: unknown key tset/)
  t.throws(() => parse([{ ...mutant, test: undefined }]), /\[0\]: test is not a string/)
  t.throws(() => parse([{ ...mutant, file: undefined }]), /\[0\]: file is not a string/)
  t.throws(() => parse([{ ...mutant, replace: '<' }]), /find and replace are the same/)
  t.throws(() => parse([{ ...mutant, file: 'lib/a.ts' }]), /belongs to test\/mutants\/lib\.json/)
  t.same(parse([mutant]), [mutant])
})

t.test('what a mutant finds must be there once: a source that it no longer fits is told', async (t) => {
  t.equal(placeFault(mutant, 'a < b'), undefined)
  t.equal(placeFault(mutant, 'a > b'), 'find occurs 0 times in src/a.ts')
  t.equal(placeFault(mutant, 'a < b && b < c'), 'find occurs 2 times in src/a.ts')
})

t.test('a list lies as the folder of its sources does', async (t) => {
  t.equal(listOf('packages/core/src/schedule/serial/order.ts'), 'test/mutants/core/schedule/serial.json')
  t.equal(listOf('packages/core/src/ids.ts'), 'test/mutants/core.json')
  t.equal(listOf('scripts/lib/wait.mjs'), 'test/mutants/scripts/lib.json')
})

t.test(
  'mutants are put into the lists of their sources, by source and once, and those of the one old list with them',
  async (t) => {
    const top = scratch(t, {
      test: {
        'mutants.json': JSON.stringify([{ ...mutant, find: '>' }, mutant]),
        mutants: { 'lib.json': '[]', 'src.json': JSON.stringify([other, mutant]) },
      },
    })
    t.same(await sortMutants(top), ['test/mutants/src.json'])
    t.same(await readMutants(top), [mutant, { ...mutant, find: '>' }, other])
    t.same(
      ['test/mutants.json', 'test/mutants/lib.json'].map((path) => existsSync(join(top, path))),
      [false, false],
    )
    t.same(await sortMutants(top), [])
  },
)

t.test('what a test left running in a folder is ended, and nothing else', async (t) => {
  const folder = scratch(t)
  const start = (options, ...argv) => {
    const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1e3)', ...argv], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      ...options,
    })
    atEnd(t, () => child.kill('SIGKILL'))
    return once(child.stdout, 'data').then(() => child)
  }
  const stranger = await start({}, `${folder}-other`)
  const left = [await start({}, join(folder, 'engine.js'))]
  if (process.platform === 'linux') left.push(await start({ cwd: folder }))
  const ends = left.map((child) => once(child, 'exit'))
  t.same(new Set(endAllIn(folder)), new Set(left.map(({ pid }) => pid)))
  for (const end of ends) t.same(await end, [null, 'SIGKILL'])
  t.equal(stranger.exitCode ?? stranger.signalCode, null)
  t.same(endAllIn(folder), [])
})

t.test('every listed mutant fits its source, and its test is there', async (t) => {
  const faults = []
  for (const listed of await readMutants()) {
    const source = await readFile(join(root, listed.file), 'utf8').catch(() => '')
    const fault = placeFault(listed, source)
    if (fault !== undefined) faults.push(`${fault}: ${JSON.stringify(listed.find)}`)
    if (!existsSync(join(root, listed.test))) faults.push(`${listed.test} is not there, of ${listed.file}`)
  }
  t.same(faults, [])
})
