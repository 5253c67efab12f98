import { createOperator } from '@lswap/agent/client'
import { failureOf, LOCAL_HOST, type AgentConfig, type Config } from '@lswap/core'
import { AGENT_PROTOCOL, type AgentAbout } from '@lswap/core/protocol'

/** What came of dialling one agent. */
export interface AgentCheck {
  readonly host: string
  readonly url: string
  /** `ok`: it can be used. `warning`: with a drawback. `error`: it can not. */
  readonly verdict: 'ok' | 'warning' | 'error'
  readonly message: string
  readonly hint?: string
  /** Of one that answered. */
  readonly about?: Pick<AgentAbout, 'version' | 'protocol' | 'models' | 'engines' | 'devices'>
}

export interface AgentsCheck {
  readonly agents: readonly AgentCheck[]
  /** Models that no host has. */
  readonly unplaced: readonly string[]
  readonly problems: number
}

/** Longer than a healthy agent takes on any network. */
const LIMIT_MS = 5_000

/** Dials every agent of a configuration, without taking any of them over. Never rejects. */
export const checkAgents = async (config: Config, version: string): Promise<AgentsCheck> => {
  const agents = await Promise.all(config.agents.map((agent) => dial(agent, version)))
  const unplaced = unplacedOf(config, agents)
  return {
    agents,
    unplaced,
    problems: agents.filter(({ verdict }) => verdict === 'error').length + unplaced.length,
  }
}

const dial = async ({ id, url, token, ca }: AgentConfig, own: string): Promise<AgentCheck> => {
  const operator = createOperator({ url, token, ...(ca === undefined ? {} : { ca }) })
  try {
    const { version, protocol, models, engines, devices } = await operator.about(AbortSignal.timeout(LIMIT_MS))
    const about = { version, protocol, models, engines, devices }
    return { host: id, url, about, ...judge(about, own) }
  } catch (error) {
    const { message, hint = HINTS[failureOf(error).code] } = failureOf(error)
    return { host: id, url, verdict: 'error', message, ...(hint === undefined ? {} : { hint }) }
  } finally {
    operator.close()
  }
}

const HINTS: Readonly<Record<string, string>> = {
  unauthorized: 'Copy agent.token of the agent’s state directory into the tokenFile of this file.',
  host_unreachable: 'Is `lswap agent` running there, and is its port open from here?',
  timed_out: 'Something on the way drops what is sent: a firewall, or an agent that stands still.',
}

const judge = (
  { version, protocol, models }: NonNullable<AgentCheck['about']>,
  own: string,
): Pick<AgentCheck, 'verdict' | 'message' | 'hint'> => {
  if (protocol !== AGENT_PROTOCOL) {
    return {
      verdict: 'error',
      message: `it speaks version ${protocol} of the protocol, this lswap version ${AGENT_PROTOCOL}`,
      hint: 'Run the same version of lswap on both machines.',
    }
  }
  if (version !== own) return { verdict: 'warning', message: `its lswap is ${version}, this one ${own}` }
  return { verdict: 'ok', message: `lswap ${version}, ${models.length === 1 ? '1 model' : `${models.length} models`}` }
}

/** One that did not answer may have it. */
const unplacedOf = ({ models }: Config, agents: readonly AgentCheck[]): readonly string[] => {
  const told = new Map<string, readonly string[] | undefined>(agents.map(({ host, about }) => [host, about?.models]))
  const mayHave = (host: string, model: string): boolean =>
    host === LOCAL_HOST || (told.get(host)?.includes(model) ?? true)
  return models.filter(({ id, hosts }) => !hosts.some((host) => mayHave(host, id))).map(({ id }) => id)
}
