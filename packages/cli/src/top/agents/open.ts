import { defaultStateDir } from '@lswap/agent'
import { readToken } from '@lswap/agent/server'
import { LswapError } from '@lswap/core/errors'
import { join, resolve } from 'node:path'
import { parseUrl, readCa } from '../../client/target.ts'
import type { Io } from '../../io.ts'
import type { Source } from '../source/source.ts'
import { agentSource } from './agent-source.ts'

export interface AgentsFlags {
  readonly agent: readonly string[]
  /** One for all of them, or one for each in the same order. */
  readonly tokenFile?: readonly string[]
  readonly caFile?: string
}

/** Agents that flags and environment name. Without a token file it is that of the agent of this machine. */
export const openAgents = async (flags: AgentsFlags, io: Io, signal: AbortSignal): Promise<Source> => {
  const urls = flags.agent.map((text) => parseUrl(text, { what: 'an agent', example: 'http://gpu-box:8078' }))
  const twice = urls.find(({ origin }, at) => urls.findIndex((one) => one.origin === origin) !== at)
  if (twice !== undefined) throw usage(`The agent at ${twice.url} is named twice.`)
  const files = tokenFiles(flags, io)
  if (files.length !== 1 && files.length !== urls.length)
    throw usage(`There are ${files.length} token files for ${urls.length} agents: give one for all, or one for each.`)
  const tokens = await Promise.all(files.map((file) => readToken(resolve(io.cwd, file))))
  const ca = await readCa(flags.caFile ?? (io.env['LSWAP_CA_FILE'] || undefined), io.cwd)
  return agentSource(
    urls.map(({ origin }, at) => ({ url: origin, token: tokens[at] ?? tokens[0] ?? '', ca })),
    signal,
  )
}

const tokenFiles = ({ tokenFile }: AgentsFlags, { env }: Io): readonly string[] => {
  if (tokenFile !== undefined) return tokenFile
  const named = env['LSWAP_AGENT_TOKEN_FILE']
  return [named === undefined || named === '' ? join(defaultStateDir({ ...env }), 'agent.token') : named]
}

const usage = (message: string): LswapError => new LswapError({ code: 'invalid_request', message })
