import { followLog, type Agent, type FollowOptions, type LogFollowing } from '@lswap/agent'
import type { HostId, ModelConfig } from '@lswap/core'
import type { OwnLog } from './own-log.ts'

/** A log that can be asked for. */
export interface LogSource {
  /** Whose it is, for who reads several at once. */
  readonly name: string
  history(tail: number): Promise<readonly string[]>
  follow(options: FollowOptions): LogFollowing
}

/** The name that the router's own log goes by; a model of that name is reached by an alias of it. */
export const ROUTER_LOG = 'router'

/** The router's own log. */
export const routerSource = async ({ ring, shape }: OwnLog): Promise<LogSource> => {
  const shaped = await shape()
  const text = (lines: readonly string[]): string => lines.map((line) => `${shaped(line).trimEnd()}\n`).join('')
  return {
    name: ROUTER_LOG,
    history: async (tail) => text(ring.tail(tail)).split('\n').slice(0, -1),
    follow: ({ tail, onText }) =>
      followLog(ring, { tail, onText: (given) => onText(text(given.split('\n').slice(0, -1))) }),
  }
}

/** What a model's engines print, on each host that may run it. */
export const modelSources = (
  { id, hosts }: Pick<ModelConfig, 'id' | 'hosts'>,
  agents: ReadonlyMap<HostId, Agent>,
): readonly LogSource[] =>
  hosts.flatMap((host) => {
    const agent = agents.get(host)
    if (agent === undefined) return []
    return {
      name: hosts.length > 1 ? `${id}@${host}` : id,
      history: (tail) => agent.logs(id, tail),
      follow: (options) => agent.followLogs(id, options),
    }
  })
