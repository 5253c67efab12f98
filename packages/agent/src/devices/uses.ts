import { memoryOfTree, treeOf } from '../process/process-table.ts'
import type { Peak } from '../state/peaks-file.ts'
import type { DeviceReading } from './reading.ts'

/** Who uses which device at one moment. */
export interface Uses {
  readonly devices: readonly Pick<DeviceReading, 'name' | 'source'>[]
  readonly processes: readonly { readonly device: string; readonly pid: number; readonly bytes: number }[]
}

export const isMachine = (source: string): boolean => source === 'host' || source === 'apple'

/** Adds up what the process and everything below it use on each device; undefined: no tool tells. */
export const useOf = (pid: number, { devices, processes }: Uses): Peak | undefined => {
  const use = deviceUseOf(pid, processes)
  if (use.size > 0) return use
  const [only, ...others] = devices
  // Where the machine's memory is the only one, an engine's own memory is all of it
  const resident =
    only !== undefined && others.length === 0 && isMachine(only.source) ? memoryOfTree(pid)?.residentBytes : undefined
  return only === undefined || resident === undefined ? undefined : new Map([[only.name, resident]])
}

export const deviceUseOf = (pid: number, processes: Uses['processes']): Map<string, number> => {
  const family = new Set([pid, ...treeOf(pid).map((each) => each.pid)])
  const use = new Map<string, number>()
  for (const { device, pid: owner, bytes } of processes) {
    if (family.has(owner)) use.set(device, (use.get(device) ?? 0) + bytes)
  }
  return use
}
