import { modelId, type HostId, type ModelId } from '../../ids.ts'
import type { DeviceBytes, MemoryFacts, ModelSize, SizeSource } from './sizes.ts'

/** What the agent of a host tells of its memory, as JSON data. Bytes by device; a number for all devices together. */
export interface MemoryReport {
  /** What models may use: all of each device but what other programs use now. Empty: nobody can tell. */
  readonly room: Readonly<Record<string, number>>
  /** What other programs use now. */
  readonly others: Readonly<Record<string, number>>
  /** What models need there, of those whose size is known. */
  readonly sizes: readonly MemoryNeed[]
}

export interface MemoryNeed {
  readonly model: string
  readonly bytes: number | Readonly<Record<string, number>>
  readonly source: SizeSource
}

/** The same for deciding. */
export interface HostMemory {
  readonly report: MemoryReport
  readonly room: DeviceBytes
  readonly others: DeviceBytes
  readonly sizes: ReadonlyMap<ModelId, ModelSize>
}

const bytesOf = (bytes: MemoryNeed['bytes']): ModelSize['bytes'] =>
  typeof bytes === 'number' ? bytes : new Map(Object.entries(bytes))

export const hostMemory = (report: MemoryReport): HostMemory => ({
  report,
  room: new Map(Object.entries(report.room)),
  others: new Map(Object.entries(report.others)),
  sizes: new Map(report.sizes.map(({ model, bytes, source }) => [modelId(model), { bytes: bytesOf(bytes), source }])),
})

/**
 * What a model needs on a host: as declared where it runs, else as declared for all hosts, else the most that it was seen to use
 * there, else what its file lets expect.
 */
export const sizeOn = (
  declared: Pick<MemoryFacts, 'sizeOf'>,
  {
    target,
    host,
    memory,
  }: { readonly target: ModelId; readonly host: HostId; readonly memory: HostMemory | undefined },
): ModelSize | undefined => {
  const told = memory?.sizes.get(target)
  const size = told?.source === 'declared' ? told : (declared.sizeOf(target, host) ?? told)
  return size === undefined || memory === undefined ? size : onDevices(size, memory.room)
}

/** A size that was measured under other names of the devices counts against all of them together. */
const onDevices = (size: ModelSize, room: DeviceBytes): ModelSize => {
  const { bytes, source } = size
  if (source === 'declared' || typeof bytes === 'number') return size
  const isElsewhere = [...bytes].some(([device, part]) => part > 0 && !room.has(device))
  return isElsewhere ? { source, bytes: [...bytes.values()].reduce((sum, part) => sum + part, 0) } : size
}

/** What models may use: of declared devices no more than that, and nowhere more than there is. Empty: nobody knows. */
export const roomOn = (declared: DeviceBytes, memory: HostMemory | undefined): DeviceBytes => {
  const seen = memory?.room ?? new Map<string, number>()
  if (declared.size === 0) return seen
  return new Map([...declared].map(([device, bytes]) => [device, Math.min(bytes, seen.get(device) ?? bytes)]))
}
