import type { HostId } from '../../ids.ts'
import type { ModelPolicy } from '../options.ts'

/** What says whether two starts of a model are the same: see {@link ModelPolicy}. */
type Definition = Pick<ModelPolicy, 'commandHash' | 'processHash'>

const ITS_AGENTS: Definition = { commandHash: '', processHash: '' }

/**
 * The definition of a model as far as it counts on a host. Where an agent has its own, ours describes nothing that runs there: a process
 * that was stopped for a difference in it would come back as what it was.
 */
export const definitionOn = (policy: ModelPolicy, host: HostId): Definition =>
  policy.definedAt?.includes(host) === true ? ITS_AGENTS : policy
