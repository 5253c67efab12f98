import type { LogFollowing } from '@lswap/agent'
import type { Operator } from '@lswap/agent/client'
import { modelId } from '@lswap/core'
import { failureOf } from '@lswap/core/errors'
import { plain } from '../../print/plain.ts'
import { duration } from '../../print/units.ts'
import type { OutsideEffect, Performing } from '../source/source.ts'

export interface AgentEffectsOptions extends Performing {
  readonly operators: ReadonlyMap<string, Pick<Operator, 'load' | 'stop' | 'followLogs'>>
}

/** As long as a router lets running requests go on by default. */
const DRAIN_MS = 600_000
/** Lines of a log that are there already. */
const TAIL = 500

type At<Type extends OutsideEffect['type']> = Extract<OutsideEffect, { readonly type: Type }>

/** Carries out what keys ask of agents, and tells what came of it. */
export const createAgentEffects = (options: AgentEffectsOptions): ((effect: OutsideEffect) => void) => {
  const { operators, signal, tell } = options
  let log: LogFollowing | undefined

  const load = async ({ host, model, evict, force }: At<'load-at'>): Promise<void> => {
    const instead = evict.length === 0 ? '' : ` in place of ${evict.join(', ')}`
    let isTaken = false
    await operators.get(host)?.load({ model: modelId(model), evict: evict.map(modelId), force }, (line) => {
      if (line.type === 'ready') {
        const text = `${model} is ready on ${host} after ${duration(line.timings.loadMs)}`
        return tell({ type: 'told', text, tone: 'good' })
      }
      if (!isTaken) tell({ type: 'told', text: `${model} is being loaded on ${host}${instead}` })
      isTaken = true
      return undefined
    })
  }

  const unload = async ({ host, model, force }: At<'unload-at'>): Promise<void> => {
    tell({ type: 'told', text: `${model} on ${host} is stopped when its running requests ended…` })
    await operators.get(host)?.stop({ model: modelId(model), drainMs: DRAIN_MS, force })
    tell({ type: 'told', text: `${model} is stopped on ${host}`, tone: 'good' })
  }

  const followLog = ({ host, model, key }: At<'follow-log'>): void => {
    log = operators.get(host ?? '')?.followLogs(modelId(model), {
      tail: TAIL,
      onText: (text) => tell({ type: 'logged', key, lines: text.replace(/\n$/, '').split('\n').map(plain) }),
    })
  }

  const carryOut = async (effect: OutsideEffect): Promise<void> => {
    switch (effect.type) {
      case 'load-at':
        return load(effect)
      case 'unload-at':
        return unload(effect)
      case 'follow-log':
        return followLog(effect)
      case 'close-overlay':
        return log?.stop()
      case 'load':
      case 'unload':
      case 'pin':
      case 'unpin':
      case 'cancel':
      case 'explain':
        // Asked for of a router alone
        return undefined
      default:
        return effect satisfies never
    }
  }

  return (effect) => {
    carryOut(effect).catch((error: unknown) => {
      if (signal.aborted) return
      const { message, hint } = failureOf(error)
      // What engines printed comes below the first line
      const text = [message.split('\n', 1)[0], hint].filter((part) => part !== undefined).join('. ')
      tell({ type: 'told', text, tone: 'bad' })
    })
  }
}
