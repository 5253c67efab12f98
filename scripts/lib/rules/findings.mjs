import { dirname, join } from 'node:path'
import { execa } from 'execa'

/** How to run each checker in a copy of the sources, and how to read what it found in the files as `{file, code}`. */
export const checkers = {
  // As folders: a file that is named is linted even where the settings leave it out. Types of all sources would be most of the time
  async oxlint(top, files) {
    const folders = new Set(files.map((file) => dirname(file)))
    const { stdout } = await run(top, 'oxlint', ['--type-aware', '--format=json', ...folders])
    return JSON.parse(stdout).diagnostics.map(({ filename, code }) => ({ file: filename, code }))
  },
  async tsc(top) {
    const { stdout } = await run(top, 'tsc', ['-b', 'packages/core'])
    return [...stdout.matchAll(/^(\S+?)\(\d+,\d+\): error (TS\d+)/gm)].map(([, file, code]) => ({ file, code }))
  },
  async knip(top) {
    const { stdout } = await run(top, 'knip', ['--reporter', 'json'])
    return JSON.parse(stdout).issues.flatMap(({ file, exports: unused = [], files = [] }) =>
      [...unused, ...files].map(({ name }) => ({ file, code: name })),
    )
  },
}

/** True where a checker found the planted violation. */
export function isFound(plant, findings) {
  const matches = (code) => (typeof plant.code === 'string' ? plant.code === code : plant.code.test(code))
  return findings.some((finding) => finding.file === plant.file && matches(finding.code))
}

async function run(top, tool, args) {
  const options = { cwd: top, reject: false, stdin: 'ignore', timeout: 120_000, maxBuffer: 50_000_000 }
  const ran = await execa(join(top, 'node_modules/.bin', tool), args, options)
  if (ran.exitCode === undefined) throw new Error(`${tool} did not end by itself`, { cause: ran })
  return ran
}
