// Proves that the checks check: plants one violation of each rule in a copy of the sources, and fails for each that
// its checker does not report. A rule that is misspelt in a configuration file is silent otherwise.
import { appendFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkers, isFound } from './lib/rules/findings.mjs'
import { plants } from './lib/rules/plants.mjs'
import { makeScratch } from './lib/scratch.mjs'

const missed = await Promise.all(Object.entries(checkers).map(([tool, check]) => missedBy(tool, check)))
for (const { tool, rule, file } of missed.flat()) console.error(`rules: ${tool} does not report '${rule}' (${file})`)
console.log(`rules: ${plants.length - missed.flat().length} of ${plants.length} planted violations found`)
process.exitCode = missed.flat().length > 0 ? 1 : 0

/** One copy for each tool: a planted import of another package would bring that package's types into core's. */
async function missedBy(tool, check) {
  const planted = plants.filter((plant) => plant.tool === tool)
  const top = await makeScratch()
  for (const { file, text } of planted) {
    await mkdir(dirname(join(top, file)), { recursive: true })
    await appendFile(join(top, file), text)
  }
  const findings = await check(
    top,
    planted.map(({ file }) => file),
  )
  return planted.filter((plant) => !isFound(plant, findings))
}
