import { findExecutable } from '@lswap/agent'
import { splitCommand, type ModelConfig } from '@lswap/core'
import { basename } from 'node:path'
import type { Io } from '../../../io.ts'
import { good, problem, warning, type Finding } from '../finding.ts'
import type { Probe, RunTool } from '../probe.ts'
import type { Answering } from './answering.ts'
import { modelsOf, runsNothing, type ConfigOnce } from './config.ts'

export interface EngineOptions {
  readonly config: ConfigOnce
  readonly answering: Answering
  readonly io: Pick<Io, 'env'>
  readonly runTool: RunTool
}

const CHECK = 'engine'
const LLAMA_SERVER = 'llama-server'

/** Whether the programs of the models are there, and whether llama-server starts at all. */
export const engineProbe = ({ config, answering, io, runTool }: EngineOptions): Probe => ({
  check: CHECK,
  look: async () => {
    if (await runsNothing(config)) return [noEngine]
    const models = await modelsOf(config)
    const users = new Map<string, string[]>()
    for (const model of models) {
      const program = programOf(model)
      if (program !== undefined) users.set(program, [...(users.get(program) ?? []), model.id])
    }
    if (users.size === 0) {
      // The configuration of a router that runs may lie anywhere, and name any engine
      if ((await answering()) && !(await findExecutable(LLAMA_SERVER, io.env)).ok) return [unknownEngine]
      users.set(LLAMA_SERVER, [])
    }
    const findings = await Promise.all([...users].map(([program, ids]) => judge(program, ids, { io, runTool })))
    return findings.flat()
  },
})

const noEngine = good(CHECK, 'none is needed: the configuration leaves all models to agents')
const unknownEngine = good(CHECK, 'no llama-server on the PATH here; the router that answers has its own engines')

const programOf = ({ cmd }: ModelConfig): string | undefined => {
  try {
    return splitCommand(cmd)[0]
  } catch {
    // A command that can not be read is the business of the configuration's check
    return undefined
  }
}

const judge = async (
  program: string,
  ids: readonly string[],
  { io, runTool }: Pick<EngineOptions, 'io' | 'runTool'>,
): Promise<readonly Finding[]> => {
  const users = ids.length === 0 ? 'nothing can be served' : `it serves ${shownIds(ids)}`
  const found = await findExecutable(program, io.env)
  if (!found.ok) {
    return [
      problem(CHECK, { what: found.message, why: users, advice: `install ${program}, or give its full path in cmd` }),
    ]
  }
  // Other programs may take `--version` for something else
  if (basename(found.path).replace(/\.exe$/i, '') !== LLAMA_SERVER) return [good(CHECK, found.path)]
  const answer = await runTool(found.path, ['--version'])
  if (!answer.ok) {
    const what = `${found.path} does not start: ${answer.reason}`
    return [
      problem(CHECK, { what, why: users, advice: `run \`${found.path} --version\` by hand; a library may be missing` }),
    ]
  }
  const version = /version: (\d+ \([0-9a-f]+\)|\S+)/.exec(answer.text)?.[1]
  if (version !== undefined) return [good(CHECK, `${found.path}, version ${version}`)]
  const why = 'what it can do is not known, and some of it may be missing'
  return [warning(CHECK, { what: `${found.path} tells no version`, why, advice: 'is it really llama-server?' })]
}

const SHOWN = 5
const shownIds = (ids: readonly string[]): string =>
  ids.length <= SHOWN ? ids.join(', ') : `${ids.slice(0, SHOWN).join(', ')} and ${ids.length - SHOWN} more`
