import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { placeFault } from '../../scripts/lib/mutants/place.mjs'
import { parseMutants, readMutants } from '../../scripts/lib/mutants/read.mjs'
import { filterMutants, splitByChange } from '../../scripts/lib/mutants/select.mjs'
import { judgeRun } from '../../scripts/lib/mutants/verdict.mjs'
import { root } from '../../scripts/lib/root.mjs'

const mutant = { file: 'src/a.ts', find: '<', replace: '<=', test: 'test/a.test.ts', name: 'a limit holds' }
const other = { ...mutant, file: 'src/b.ts', test: 'test/b.test.ts', name: 'b limit holds' }
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
  t.throws(
    () => parseMutants(JSON.stringify([mutant, { ...mutant, tset: 'x' }])),
    /mutants\.json\[1\]: unknown key tset/,
  )
  t.throws(() => parseMutants(JSON.stringify([{ ...mutant, test: undefined }])), /\[0\]: test is not a string/)
  t.throws(() => parseMutants(JSON.stringify([{ ...mutant, replace: '<' }])), /find and replace are the same/)
  t.same(parseMutants(JSON.stringify([mutant])), [mutant])
})

t.test('what a mutant finds must be there once: a source that it no longer fits is told', async (t) => {
  t.equal(placeFault(mutant, 'a < b'), undefined)
  t.equal(placeFault(mutant, 'a > b'), 'find occurs 0 times in src/a.ts')
  t.equal(placeFault(mutant, 'a < b && b < c'), 'find occurs 2 times in src/a.ts')
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
