import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { makeScratch } from '../scratch.mjs'
import { compiledFile } from '../test-files.mjs'
import { invalid, judgeRun } from './verdict.mjs'

const testLimitMs = 60_000
const buildLimitMs = 120_000
const packaged = /^(packages\/[^/]+)\/src\/(.+)\.ts$/

/** A scratch copy in which one mutant at a time is built and tested. */
export async function makeBench() {
  const top = await makeScratch()
  const read = (path) => readFile(join(top, path), 'utf8')
  // Compiled files before their first mutant: after it, they are those of the last mutant until the next build.
  const unbroken = new Map()
  await build(top, '.')

  return {
    /** What a test file says about the sources as they are. */
    async runUnbroken(test) {
      // The last mutant's source is put back, but what was compiled from it is still there.
      await build(top, projectOf(test))
      return runTest(top, test)
    },

    async judge({ file, find, replace, test, name }) {
      const source = await read(file)
      const places = source.split(find).length - 1
      if (places !== 1) return invalid(`find occurs ${places} times in ${file}`)
      const compiled = file.replace(packaged, '$1/dist/src/$2.js')
      if (!unbroken.has(compiled)) unbroken.set(compiled, await read(compiled))
      await writeFile(
        join(top, file),
        source.replace(find, () => replace),
      )
      try {
        await build(top, projectOf(test))
        if ((await read(compiled)) === unbroken.get(compiled)) return invalid('changes nothing that runs')
        return judgeRun(await runTest(top, test), name)
      } finally {
        await writeFile(join(top, file), source)
      }
    },
  }
}

const projectOf = (test) => /^packages\/[^/]+\/test/.exec(test)?.[0] ?? '.'

async function build(cwd, project) {
  const tsc = join(cwd, 'node_modules/.bin/tsc')
  const built = await execa(tsc, ['-b', project], { cwd, reject: false, stdin: 'ignore', timeout: buildLimitMs })
  // Type errors are let through: the output is written all the same, and it is the test that has to notice.
  if (built.exitCode === undefined) throw new Error(`cannot build ${project}: ${built.shortMessage}`)
}

async function runTest(cwd, test) {
  const ran = await execa(process.execPath, [compiledFile(test)], {
    cwd,
    // TAP_TIMEOUT: a mutant that hangs its test should not take tap's 30 s.
    env: { NODE_EXTRA_CA_CERTS: undefined, NO_COLOR: '1', TAP_TIMEOUT: '10' },
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: testLimitMs,
    forceKillAfterDelay: 2_000,
  })
  const failing = [...ran.all.matchAll(/^ *not ok \d+ - (.*?)(?: # time=.*)?$/gm)].map((found) => found[1])
  return { exitCode: ran.exitCode, timedOut: ran.timedOut, failing, output: ran.all }
}
