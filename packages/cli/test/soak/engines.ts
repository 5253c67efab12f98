import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FAKE_ENGINE } from '../e2e/programs.ts'

/** A process of the machine that a soak has started. */
export interface Found {
  readonly pid: number
  readonly host: string
  readonly model: string
}

/** Named like the real one: an engine that the agent recognises ends with the agent, however that ends. */
const ENGINE = 'llama-server.mjs'
const VIOLATIONS = 'two-at-once'

/**
 * The engine of one machine. Before it starts, it looks whether another of its model, or of any where only one may run, is alive; and
 * takes the switches that were left for its next start.
 */
const engineText = (folder: string, exclusive: boolean): string => `
import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
const folder = ${JSON.stringify(folder)}
const alias = process.argv[process.argv.indexOf('--alias') + 1]
const isAlive = (pid) => {
  try {
    const stat = readFileSync('/proc/' + pid + '/stat', 'utf8')
    const command = readFileSync('/proc/' + pid + '/cmdline', 'utf8')
    return !'ZX'.includes(stat.slice(stat.lastIndexOf(')') + 2)[0]) && command.includes(folder)
  } catch {
    return false
  }
}
for (const file of readdirSync(folder)) {
  const other = /^pid-(.*)$/.exec(file)?.[1]
  if (other === undefined || (other !== alias && !${exclusive})) continue
  const pid = Number(readFileSync(folder + '/' + file, 'utf8'))
  if (pid !== process.pid && isAlive(pid))
    appendFileSync(folder + '/${VIOLATIONS}', new Date().toISOString() + ' ' + alias + ' (' + process.pid + ') beside ' + other + ' (' + pid + ')\\n')
}
writeFileSync(folder + '/pid-' + alias, String(process.pid))
try {
  renameSync(folder + '/fault-' + alias, folder + '/taken-' + alias)
  process.argv.push(...readFileSync(folder + '/taken-' + alias, 'utf8').split(' '))
} catch {}
await import(${JSON.stringify(pathToFileURL(FAKE_ENGINE).href)})
`

/** Writes a machine's engine; gives the command of a model. */
export const placeEngine = async (folder: string, exclusive: boolean): Promise<(model: string) => string> => {
  const engine = join(folder, ENGINE)
  await writeFile(engine, engineText(folder, exclusive))
  return (model) =>
    `"${process.execPath}" "${engine}" --port \${PORT} --alias ${model} --parallel 3 --load-ms 30 --tokens 500 --tps 150`
}

export const spoil = (folder: string, { model, fault }: { readonly model: string; readonly fault: string }) =>
  writeFile(join(folder, `fault-${model}`), fault)

/** Takes back what was not taken. */
export const mend = async (folder: string): Promise<void> => {
  for (const file of await readdir(folder)) if (file.startsWith('fault-')) await rm(join(folder, file), { force: true })
}

/** Starts of an engine beside another one that it must not run beside. */
export const violations = async (folder: string): Promise<string> =>
  readFile(join(folder, VIOLATIONS), 'utf8').catch(() => '')

/** What the machine's own table says: the living engines of all hosts below the folder. */
export const enginesBelow = async (root: string): Promise<readonly Found[]> =>
  (await processesBelow(root)).flatMap(({ pid, words }) => {
    const engine = words.find((word) => word.startsWith(`${root}/`) && word.endsWith(`/${ENGINE}`))
    if (engine === undefined) return []
    const host = engine.slice(root.length + 1, -ENGINE.length - 1)
    return [{ pid, host, model: words[words.indexOf('--alias') + 1] ?? '' }]
  })

/** Every living process that names the folder. */
export const processesBelow = async (
  root: string,
): Promise<readonly { readonly pid: number; readonly words: readonly string[] }[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
        if (!words.some((word) => word.startsWith(`${root}/`))) return []
        const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
        return 'ZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2)) ? [] : [{ pid, words }]
      } catch {
        return []
      }
    }),
  )
  return found.flat()
}
