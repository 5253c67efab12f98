import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FAKE_ENGINE } from './programs.ts'

/** A process that an engine of a test consists of. */
export interface EngineProcess {
  readonly pid: number
  readonly model: string
}

/** Engines of one machine that behave otherwise from one start to the next, and are seen by what the system says of them. */
export interface EngineBench {
  /** The program that they are started from. */
  readonly engine: string
  /** More switches for the next starts of a model; their command stays the same. */
  behave(model: string, switches: string): Promise<void>
  /** What runs, by the process table. Only on Linux. */
  running(): Promise<readonly EngineProcess[]>
  /** What each engine found running beside it when it began, where there was something. */
  besides(): Promise<readonly string[]>
}

/** Both begin with the arguments of the engine's own process. */
const SHIM = (folder: string): string => `import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
const read = (file) => { try { return readFileSync(file, 'utf8') } catch { return '' } }
const folder = ${JSON.stringify(folder)}
const aliasOf = (args) => args[args.indexOf('--alias') + 1]
const model = aliasOf(process.argv)
if (process.env.TEST_SWITCHED === undefined) {
  process.env.TEST_SWITCHED = '1'
  const others = (process.platform === 'linux' ? readdirSync('/proc') : [])
    .filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => read('/proc/' + pid + '/cmdline').split('\\0'))
    .filter((args) => args[1] === process.argv[1])
    .map(aliasOf)
  if (others.length > 0) appendFileSync(folder + '/besides.txt', model + ' beside ' + others.join(', ') + '\\n')
  const switches = read(folder + '/' + model + '.switches').split(' ').filter((word) => word !== '')
  if (switches.includes('--unguarded')) delete process.env.LLAMA_SERVER_ROUTER_PORT
  process.argv.push(...switches.filter((word) => word !== '--unguarded'))
}
await import(${JSON.stringify(pathToFileURL(FAKE_ENGINE).href)})
`

export const engineBench = async (folder: string): Promise<EngineBench> => {
  // Named like the real one: an engine that the agent recognises ends with the agent, however that ends
  const engine = join(folder, 'llama-server.mjs')
  await writeFile(engine, SHIM(folder))
  return {
    engine,
    behave: (model, switches) => writeFile(join(folder, `${model}.switches`), switches),
    running: async () => {
      const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
      const found = await Promise.all(
        pids.map(async (pid) => {
          // Empty for a zombie
          const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
          const model = args[args.indexOf('--alias') + 1] ?? ''
          return args[1] === engine ? [{ pid: Number(pid), model }] : []
        }),
      )
      return found.flat()
    },
    besides: async () =>
      (await readFile(join(folder, 'besides.txt'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
  }
}
