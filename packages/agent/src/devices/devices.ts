import { arch, platform } from 'node:process'
import type { DeviceBytes } from '@lswap/core'
import type { Logger } from '../logs/logger.ts'
import { findExecutable } from '../process/find-executable.ts'
import { createAmdSource } from './amd.ts'
import { systemDeviceClock, type DeviceClock } from './clock.ts'
import { createHostMemorySource, type HostMemory } from './host-memory.ts'
import { createNvidiaSource, type DeviceUse } from './nvidia.ts'
import type { DeviceReading, MachineReading } from './reading.ts'

export interface DevicesOptions {
  readonly log: Logger
  /** Declared in the configuration: then these are the devices, whatever a tool finds beside them. */
  readonly declared?: DeviceBytes | undefined
  readonly clock?: DeviceClock
  /** Where tools are looked for. */
  readonly env?: NodeJS.ProcessEnv
  /** Where the files of the system lie. */
  readonly root?: string
}

/** The devices of this machine. */
export interface Devices {
  /** What is known by now; costs nothing worth mentioning. */
  known(): Promise<MachineReading>
  /** A look that begins after this call. */
  look(): Promise<MachineReading>
  /** A look will be wanted in a moment, and soon. Returns what takes that back. */
  expectLook(): () => void
  /** Resolves when tools that need a moment have told something, or failed, or take too long. */
  readonly settled: Promise<void>
  /** Device memory of each process, where a tool tells. */
  processes(): Promise<readonly DeviceUse[]>
  /** Other devices are declared. */
  declare(devices: DeviceBytes | undefined): void
  close(): void
}

/** Models that have no device of their own to live on share the machine's memory. */
const hostDevice = (memory: HostMemory | undefined, clock: DeviceClock): readonly DeviceReading[] => {
  if (memory === undefined) return []
  const { totalBytes, availableBytes } = memory
  // Not tested on a Mac: there the GPU works in the same memory.
  const isUnified = platform === 'darwin' && arch === 'arm64'
  const reading = {
    name: isUnified ? 'gpu0' : 'host',
    label: null,
    source: isUnified ? 'apple' : 'host',
    totalBytes,
    usedBytes: totalBytes - availableBytes,
    use: null,
    temperatureC: null,
    powerWatts: null,
    sampledAt: clock.now(),
  }
  return [reading]
}

const declaredDevice = (
  name: string,
  totalBytes: number,
  { found, now }: { readonly found: readonly DeviceReading[]; readonly now: number },
): DeviceReading => {
  const read = found.find((reading) => reading.name === name)
  const nothing = { label: null, source: 'declared', usedBytes: null, use: null, temperatureC: null, powerWatts: null }
  return { ...nothing, sampledAt: now, ...read, name, totalBytes }
}

/** Reads NVIDIA's and AMD's devices, else the memory of the machine. */
export const createDevices = async (options: DevicesOptions): Promise<Devices> => {
  const { log, clock = systemDeviceClock, env = process.env, root = '/' } = options
  let { declared } = options
  const tool = await findExecutable('nvidia-smi', env)
  const nvidia = tool.ok ? createNvidiaSource({ file: tool.path, clock, log }) : undefined

  const amdSource = nvidia === undefined ? createAmdSource(clock, root) : undefined
  const host = createHostMemorySource({ clock, root })

  const machine = async (
    gpus: readonly DeviceReading[],
    readMemory: () => Promise<HostMemory | undefined>,
  ): Promise<MachineReading> => {
    const [memory, amd = []] = await Promise.all([readMemory(), amdSource?.read()])
    const own = [...gpus, ...amd]
    const hasMemory = own.some(({ totalBytes }) => totalBytes !== null)
    const found = hasMemory ? own : [...own, ...hostDevice(memory, clock)]
    if (declared === undefined || declared.size === 0) return { memory, devices: found }
    const now = clock.now()
    const devices = [...declared].map(([name, bytes]) => declaredDevice(name, bytes, { found, now }))
    return { memory, devices, found }
  }

  return {
    settled: nvidia?.settled ?? Promise.resolve(),
    known: () => machine(nvidia?.latest() ?? [], () => host.known()),
    look: async () => machine((await nvidia?.read()) ?? [], () => host.look()),
    expectLook: () => nvidia?.expectRead() ?? (() => {}),
    processes: async () => nvidia?.processes() ?? [],
    declare(devices) {
      declared = devices
    },
    close: () => nvidia?.close(),
  }
}
