import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { makeScratch } from '../scratch.mjs'
import { compiledFile } from '../test-files.mjs'
import { compileModule } from './compile.mjs'
import { endAllIn } from './end-all-in.mjs'
import { placeFault } from './place.mjs'
import { invalid, judgeRun } from './verdict.mjs'

const testLimitMs = 60_000
const buildLimitMs = 120_000
const packaged = /^(packages\/[^/]+)\/src\/(.+)\.ts$/

/** A built scratch copy in which one compiled module at a time is replaced by its mutant and tested. */
export async function makeBench() {
  const top = await makeScratch()
  const read = (path) => readFile(join(top, path), 'utf8')
  await build(top)
  await mkdir(temporary(top))
  process.once('exit', () => endAllIn(top))

  return {
    /** What a test file says about the sources as they are. */
    runUnbroken: (test) => runTest(top, test),

    async judge({ file, find, replace, test, name }) {
      const source = await read(file)
      const misplaced = placeFault({ file, find }, source)
      if (misplaced !== undefined) return invalid(misplaced)
      const mutant = source.replace(find, () => replace)
      const isCompiled = packaged.test(file)
      const { code, mistake } = isCompiled ? await compileModule(mutant) : { code: mutant }
      if (mistake !== undefined) return invalid(mistake)
      if (isCompiled && code === (await compileModule(source)).code) return invalid('changes nothing that runs')
      const runs = file.replace(packaged, '$1/dist/src/$2.js')
      const unbroken = await read(runs)
      await writeFile(join(top, runs), code)
      try {
        return judgeRun(await runTest(top, test), name)
      } finally {
        await writeFile(join(top, runs), unbroken)
      }
    },
  }
}

async function build(cwd) {
  const options = { cwd, reject: false, stdin: 'ignore', timeout: buildLimitMs }
  const { exitCode } = await execa(join(cwd, 'node_modules/.bin/tsc'), ['-b'], options)
  // A type error stops nothing: the output is written all the same, and the tests' run on it tells.
  if (exitCode === undefined) throw new Error(`tsc -b did not end by itself within ${buildLimitMs / 1000} s`)
}

/** In the copy, so that what a test starts there can be found. */
const temporary = (top) => join(top, 'tmp')

async function runTest(cwd, test) {
  const ran = await execa(process.execPath, [compiledFile(test)], {
    cwd,
    // TAP_TIMEOUT: a mutant that hangs its test should not take tap's 30 s.
    env: { NODE_EXTRA_CA_CERTS: undefined, NO_COLOR: '1', TAP_TIMEOUT: '10', TMPDIR: temporary(cwd) },
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: testLimitMs,
    forceKillAfterDelay: 2_000,
  })
  endAllIn(cwd)
  const failing = [...ran.all.matchAll(/^ *not ok \d+ - (.*?)(?: # time=.*)?$/gm)].map((found) => found[1])
  return { exitCode: ran.exitCode, timedOut: ran.timedOut, failing, output: ran.all }
}
