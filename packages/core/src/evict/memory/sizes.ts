import type { HostId, ModelId } from '../../ids.ts'

/** Bytes per device of a host. */
export type DeviceBytes = ReadonlyMap<string, number>

/** Where a size is from, the most trustworthy first. */
export type SizeSource = 'declared' | 'measured' | 'estimated'

/**
 * What a model needs. `bytes` by device, or one number when the engine spreads it over all devices. Only a declared
 * or measured size may make a model impossible: an estimate can be wrong by a lot.
 */
export interface ModelSize {
  readonly bytes: DeviceBytes | number
  readonly source: SizeSource
}

/** What a configuration declares. */
export interface MemoryFacts {
  /** Undefined: nothing. */
  sizeOf(model: ModelId, host: HostId): ModelSize | undefined
  /** What models may use of each device; empty: nothing is declared. */
  budgetOf(host: HostId): DeviceBytes
}

/** A requirement against a host: a number counts against all its devices together. */
export const needOn = (size: ModelSize, device: string): number =>
  typeof size.bytes === 'number' ? 0 : (size.bytes.get(device) ?? 0)

export const needInAll = ({ bytes }: ModelSize): number => {
  if (typeof bytes === 'number') return bytes
  let sum = 0
  for (const part of bytes.values()) sum += part
  return sum
}

/** 18 GiB, 512 MiB: for sentences. */
export const readable = (bytes: number): string => {
  const gib = bytes / 2 ** 30
  return gib >= 1 ? `${Math.round(gib * 10) / 10} GiB` : `${Math.round(bytes / 2 ** 20)} MiB`
}

/** 18 GiB on gpu0 (measured). */
export const sizeText = ({ bytes, source }: ModelSize): string => {
  const parts = typeof bytes === 'number' ? [] : [...bytes].filter(([, part]) => part > 0)
  const text =
    typeof bytes === 'number' || parts.length === 0
      ? readable(needInAll({ bytes, source }))
      : parts.map(([device, part]) => `${readable(part)} on ${device}`).join(' and ')
  return `${text} (${source})`
}
