import type { ModelId } from '@lswap/core'
import type { AgentMetrics } from '@lswap/core/protocol'
import type { EngineSample } from '../scrape/names.ts'
import type { PeakBook } from '../devices/peaks.ts'
import type { Devices } from '../devices/devices.ts'
import type { RoomBook } from '../devices/room.ts'
import type { OwnerView } from '../process/owner.ts'
import type { ProcessMemories } from '../process/process-memory.ts'

interface MeasureParts {
  readonly sensors: Devices
  readonly peaks: Pick<PeakBook, 'lastUse'>
  readonly rooms: Pick<RoomBook, 'read'>
  readonly memories: ProcessMemories
  /** What engines told of themselves. */
  readonly engines: ReadonlyMap<ModelId, EngineSample>
}

const useOf = (pid: number | undefined, peaks: Pick<PeakBook, 'lastUse'>): Record<string, number> | null => {
  const use = pid === undefined ? undefined : peaks.lastUse(pid)
  return use === undefined ? null : Object.fromEntries(use)
}

/** One snapshot of the machine and what runs on it. */
export const measure = async (
  views: readonly OwnerView[],
  { sensors, peaks, rooms, memories, engines }: MeasureParts,
): Promise<AgentMetrics> => {
  const machine = await sensors.known()
  const { memory, devices } = machine
  const { room, others } = await rooms.read(machine)
  return {
    at: Date.now(),
    memory: memory ?? null,
    devices: devices.map((device) =>
      Object.assign({}, device, {
        roomBytes: room.get(device.name) ?? null,
        othersBytes: others.get(device.name) ?? null,
      }),
    ),
    processes: views
      .filter(({ phase }) => phase !== 'stopped')
      .map(({ model, epoch, pid }) => ({
        model,
        epoch: epoch ?? null,
        pid: pid ?? null,
        memoryBytes: (pid === undefined ? undefined : memories.of(pid)?.residentBytes) ?? null,
        deviceBytes: useOf(pid, peaks),
        engine: engines.get(model) ?? null,
      })),
  }
}
