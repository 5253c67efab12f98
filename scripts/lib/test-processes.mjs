import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isSlow, slowFirst } from './test-order.mjs'

/** Enough that loading tap and lswap no longer counts, and few enough that the processors end together. */
const TOGETHER = 20
/** Settings of the whole run (`t.setTimeout`, `t.beforeEach`), and what belongs to a process: each would hold for the file beside it. */
const ownsItsProcess =
  /^t\.(?!test\b)|\bprocess\.(?:env|on|once|exit|chdir|memoryUsage)\b|['"]node:(?:child_process|v8)['"]/m

/**
 * The programs that run the tests, as paths, those that take long first. Starting Node and loading tap and lswap takes half a
 * second, most files a few milliseconds: quick ones run one after the other in one process. Those of `folder` are written there.
 */
export async function testProcesses(files, { top, folder, together = TOGETHER }) {
  const shares = await Promise.all(files.map((file) => sharesProcess(top, file)))
  const quick = files.filter((_, at) => shares[at])
  const alone = files.filter((_, at) => !shares[at])
  const groups = Array.from({ length: Math.ceil(quick.length / together) }, (_, at) =>
    quick.slice(at * together, (at + 1) * together),
  )
  const shared = await Promise.all(groups.map((group) => sharedProcess(group, { top, folder })))
  return [...slowFirst(alone).map(({ runs }) => join(top, runs)), ...shared]
}

/** By what the file itself says, so that a new one is sorted without being listed. */
async function sharesProcess(top, { source }) {
  if (!source.startsWith('packages/') || isSlow({ source })) return false
  return !ownsItsProcess.test(await readFile(join(top, source), 'utf8'))
}

/** Named by its first file: that name is all that is told of a process which ended by itself. */
async function sharedProcess(group, { top, folder }) {
  const lines = [
    `import { runTogether } from ${JSON.stringify(new URL('run-together.mjs', import.meta.url).href)}`,
    `await runTogether(${JSON.stringify(
      group.map(({ runs }) => join(top, runs)),
      undefined,
      2,
    )})`,
  ]
  const others = group.length === 1 ? '' : ` and ${group.length - 1} beside it`
  const path = join(folder, `${group[0].source.replaceAll('/', '+')}${others}.test.mjs`)
  await writeFile(path, `${lines.join('\n')}\n`)
  return path
}
