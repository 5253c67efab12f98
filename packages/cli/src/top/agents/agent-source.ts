import { createOperator } from '@lswap/agent/client'
import type { Seen } from '../../client/feed.ts'
import { systemClock } from '../../router/clock.ts'
import type { Source } from '../source/source.ts'
import { createAgentEffects } from './effects.ts'
import { followAgents } from './follow-agents.ts'

export interface AgentAccess {
  readonly url: string
  readonly token: string
  /** Certificates that are trusted, in PEM; undefined: those that Node trusts. */
  readonly ca: string | undefined
}

/** Agents that are looked at and driven without a router. `signal`: its end. */
export const agentSource = (agents: readonly AgentAccess[], signal: AbortSignal): Source => {
  const named = agents.map(({ url, token, ca }) => ({
    host: new URL(url).host,
    operator: createOperator({ url, token, ...(ca === undefined ? {} : { ca }) }),
  }))
  const close = (): void => named.forEach(({ operator }) => operator.close())
  signal.addEventListener('abort', close)
  if (signal.aborted) close()
  const follow: Source['follow'] = (following) => followAgents(named, following)
  return {
    kind: 'agents',
    url: named.map(({ host }) => host).join(' '),
    follow,
    first: async () => {
      const over = new AbortController()
      let first: Seen | undefined
      const listener = {
        seen: (seen: Seen) => {
          first ??= seen
          over.abort()
        },
        heard: () => {},
        lost: () => {},
      }
      await follow({ clock: systemClock(), signal: AbortSignal.any([signal, over.signal]), listener })
      // It rejects when there is none
      return first as Seen
    },
    performer: (performing) =>
      createAgentEffects({
        ...performing,
        operators: new Map(named.map(({ host, operator }) => [host, operator])),
      }),
  }
}
