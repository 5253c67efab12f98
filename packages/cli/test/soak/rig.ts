import { randomInt } from 'node:crypto'
import { mkdir, mkdtemp, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { placeEngine } from './engines.ts'
import { LOCAL, type Plan } from './plan.ts'
import { program, type Program } from './program.ts'

/** The machines of a soak. */
export interface Rig {
  /** Processes of it are those that name this folder. */
  readonly folder: string
  readonly router: Program
  /** By host. */
  readonly agents: ReadonlyMap<string, Program>
  /** Where the engine of a host lies. */
  readonly folderOf: (host: string) => string
  /** Changes the configuration of a program in place. */
  readonly edit: (host: string, change: (text: string) => string) => Promise<void>
}

/** A router gives up soon here, so that whatever hangs is seen. */
const LIMITS = 'queueTimeoutMs: 20000\ndrainTimeoutMs: 5000\nhealthCheckTimeout: 8\nunloadTimeout: 2\n'

export const createRig = async (plan: Plan): Promise<Rig> => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `lswap-soak-${plan.seed}-`)))
  const folderOf = (host: string): string => join(folder, host)
  const agents = new Map<string, Program>()
  // Hosts have ports of their own, as machines do
  const startPort = randomInt(10_000, 27_000)
  const modelsOf = async (host: string, models: readonly string[]): Promise<string> => {
    const command = await placeEngine(folderOf(host), plan.exclusive)
    const keep = host === plan.keeps ? '    onAgentExit: keep\n' : ''
    return models.map((model) => `  ${model}:\n    cmd: ${JSON.stringify(command(model))}\n${keep}`).join('')
  }

  let own = ''
  let edits = 0
  for (const [at, [host, models]] of Object.entries(plan.hosts).entries()) {
    await mkdir(folderOf(host))
    const entries = await modelsOf(host, models)
    if (host === LOCAL) {
      own = entries
      continue
    }
    await writeFile(configOf(folderOf(host)), `${LIMITS}startPort: ${startPort + at * 1_001}\nmodels:\n${entries}`)
    agents.set(host, program({ folder: folderOf(host), command: 'agent' }))
  }
  await Promise.all([...agents.values()].map((agent) => agent.start()))

  const dialled = [...agents].map(
    ([host, agent]) => `  - { id: ${host}, url: "${agent.url()}", tokenFile: "${folderOf(host)}/state/agent.token" }\n`,
  )
  const elsewhere = [...new Set(Object.values(plan.hosts).flat())].filter((model) => !own.includes(`  ${model}:\n`))
  const policy = plan.exclusive
    ? '  router: { use: exclusive }\n'
    : `  router: { use: group, settings: { groups: { all: { swap: false, members: [${[...new Set(Object.values(plan.hosts).flat())].join(', ')}] } } } }\n`
  await mkdir(folderOf('router'))
  await writeFile(
    configOf(folderOf('router')),
    `${LIMITS}startPort: ${startPort + 3_003}\nembeddedAgent: ${plan.embedded}\nrouting:\n  scheduler: { use: ${plan.scheduler} }\n${policy}` +
      `agents:\n${dialled.join('')}models:\n${own}${elsewhere.map((model) => `  ${model}: {}\n`).join('')}`,
  )
  const router = program({ folder: folderOf('router'), command: 'serve' })
  await router.start()
  // Node 20's fetch makes its parser when it connects for the first time, and never hears of a connection that is reset meanwhile
  await (await fetch(`${router.url()}/health`)).text()
  return {
    folder,
    router,
    agents,
    folderOf,
    edit: async (host, change) => {
      const file = configOf(folderOf(host))
      // In one step: whoever reads it meanwhile reads the one or the other
      const draft = `${file}.${(edits += 1)}`
      await writeFile(draft, change(await readFile(file, 'utf8')))
      await rename(draft, file)
    },
  }
}

const configOf = (folder: string): string => join(folder, 'lswap.yaml')
