import { modelId, type HostId } from '@lswap/core'
import type { AgentFeedEvent, AgentMetrics } from '@lswap/core/protocol'
import type { AgentEvent } from '../agent.ts'
import type { Logger } from '../logs/logger.ts'
import type { About } from './about.ts'
import type { Contact } from './contact.ts'
import type { Epochs } from './epochs.ts'
import type { Exits } from './exits.ts'
import type { RemoteMemory } from './memory.ts'
import { onOurClock } from './on-our-clock.ts'
import { RESTARTED } from './refused.ts'

export interface ToldOptions {
  readonly host: HostId
  /** Names the host in each line. */
  readonly log: Logger
  readonly emit: (event: AgentEvent) => void
  readonly about: Pick<About, 'learn'>
  readonly contact: Pick<Contact, 'restart' | 'suspect'>
  readonly epochs: Epochs
  readonly exits: Pick<Exits, 'tell'>
  readonly memory: Pick<RemoteMemory, 'sampled'>
  readonly onMetrics: (metrics: AgentMetrics) => void
}

/** Makes of what an agent's feed tells what the router is told. */
export const createTold = (options: ToldOptions): ((event: AgentFeedEvent) => void) => {
  const { host, log, emit, about, contact, epochs, exits, memory, onMetrics } = options
  return (event) => {
    switch (event.type) {
      case 'hello':
        if (event.start !== epochs.start()) return contact.restart(RESTARTED)
        // What was missed can not be told any more
        if (event.isGap && event.number > 0) emit({ type: 'host-returned' })
        return undefined
      case 'process-exited':
        return exits.tell(modelId(event.model), epochs.ours(event.epoch), event.failure)
      case 'changed':
        if (event.models !== undefined) emit({ type: 'redefined', models: event.models.map(modelId) })
        about
          .learn()
          .then(() => emit({ type: 'host-returned' }))
          .catch(() => void contact.suspect())
        return undefined
      case 'sampled':
        onMetrics(onOurClock(event.metrics, epochs, Date.now()))
        memory.sampled(event.metrics)
        emit({ type: 'measured' })
        return undefined
      case 'sized':
        about.learn().catch(() => void contact.suspect())
        return undefined
      case 'noticed':
        // Its own words, in the router's log and for who looks on
        log[event.level](event.model === null ? {} : { model: event.model }, `${host}: ${event.text}`)
        return undefined
      case 'process-changed': {
        // Before the list that 'changed' leads to: who was refused by it would be sent there again
        const placement = { host, model: modelId(event.model) }
        if (event.phase === 'stopping' && event.epoch !== null)
          emit({ type: 'process-leaving', placement, epoch: epochs.ours(event.epoch) })
        return undefined
      }
    }
  }
}
