import type { Epoch } from '../../ids.ts'
import type { PrefixChain } from '../../pick/prefix/chain.ts'
import { HeldPrefixes } from '../../pick/prefix/held.ts'
import type { PlacementState } from './placement.ts'

/** A prompt is granted to a process: from now on it is taken to hold how that begins. */
export const notePrefix = (target: PlacementState, epoch: Epoch, prefix: PrefixChain): void => {
  if (target.prefixes?.epoch !== epoch) target.prefixes = { epoch, held: new HeldPrefixes() }
  target.prefixes.held.note(prefix)
}

/** As JSON has it. */
export const restorePrefixes = (saved: PlacementState['prefixes']): PlacementState['prefixes'] =>
  saved === undefined ? undefined : { epoch: saved.epoch, held: new HeldPrefixes(saved.held as unknown as number[]) }
