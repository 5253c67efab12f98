import type { Failure } from '../../errors/failure.ts'
import type { Placement } from '../../ids.ts'
import type { WaitCause } from '../scheduler.ts'

/**
 * Whether two causes say the same. Every look at a blocked model asks: comparing any two pieces of data, key by key, took
 * 14 to 18 % of a walk over 50 models, and this, type by type, takes 1 %.
 */
export const isSameCause = (a: WaitCause, b: WaitCause): boolean => {
  switch (a.type) {
    case 'loading':
      return b.type === 'loading' && a.sinceMs === b.sinceMs && isSamePlace(a.placement, b.placement)
    case 'slots-full':
      return b.type === 'slots-full' && a.slots === b.slots && isSamePlace(a.placement, b.placement)
    case 'saturated':
      return b.type === 'saturated' && a.reason === b.reason && areSamePlaces(a.placements, b.placements)
    case 'draining':
      return b.type === 'draining' && a.need === b.need && areSamePlaces(a.models, b.models)
    case 'swap-running':
      return b.type === 'swap-running' && a.generation === b.generation && isSamePlace(a.placement, b.placement)
    case 'stopping':
      return b.type === 'stopping' && isSamePlace(a.placement, b.placement)
    case 'residency':
      return b.type === 'residency' && a.until === b.until && isSamePlace(a.placement, b.placement)
    case 'caller-cap':
      return b.type === 'caller-cap' && a.limit === b.limit
    case 'held-for':
      return b.type === 'held-for' && a.request === b.request
    case 'stuck':
      return b.type === 'stuck' && isSamePlace(a.placement, b.placement) && isSameFailure(a.failure, b.failure)
    case 'cooldown':
      return b.type === 'cooldown' && a.until === b.until && isSamePlace(a.placement, b.placement)
    case 'no-host':
      return b.type === 'no-host'
    default:
      return a satisfies never
  }
}

const isSamePlace = (a: Placement, b: Placement): boolean => a.model === b.model && a.host === b.host

const areSamePlaces = (a: readonly Placement[], b: readonly Placement[]): boolean =>
  a.length === b.length && a.every((place, at) => isSamePlace(place, b[at] as Placement))

const isSameFailure = (a: Failure, b: Failure): boolean =>
  a.code === b.code && a.message === b.message && a.hint === b.hint && a.retryAfterMs === b.retryAfterMs
