import { placementKey, type Generation } from '../../ids.ts'
import type { PlacementState } from './placement.ts'
import type { State } from './state.ts'

/** The latest order to end a process that is not answered yet: an earlier one may outlast the one that replaced it. */
export const pendingEndOf = ({ stops, swaps }: State, { placement, key }: PlacementState): Generation | undefined => {
  let latest: Generation | undefined
  const consider = (made: Generation): void => {
    if (latest === undefined || made > latest) latest = made
  }
  for (const { generation, placements } of stops.values()) {
    if (placements.some((other) => placementKey(other) === key)) consider(generation)
  }
  for (const { swap } of swaps.values()) {
    if (swap.host === placement.host && swap.evict.includes(placement.model)) consider(swap.generation)
  }
  return latest
}
