import type { DeviceClock } from './clock.ts'
import type { Devices } from './devices.ts'
import { MEMORY_WAIT_MS } from './memory-wait.ts'
import type { DeviceReading, MachineReading } from './reading.ts'
import { deviceUseOf, isMachine, type Uses } from './uses.ts'

export interface RoomOptions {
  readonly sensors: Pick<Devices, 'known'>
  readonly clock: Pick<DeviceClock, 'now'>
  /** Of every engine of ours, in whichever phase. */
  readonly pids: () => readonly number[]
  /** What the process and everything below it hold of the machine's memory that is of no file. */
  readonly anonymousBytes: (pid: number) => number | undefined
}

/** Bytes by device. */
export interface Room {
  /** What models may use: all but what other programs use now. */
  readonly room: ReadonlyMap<string, number>
  /** What other programs use now, where that is known. */
  readonly others: ReadonlyMap<string, number>
}

/** What of the memory of this machine models may use. */
export interface RoomBook {
  /** The tools were asked whose memory it is. */
  note(uses: Uses): void
  /** A process ended: its memory may still come, and is nobody's until then. */
  noteExit(): void
  /** `machine`: what was read just now, where somebody did. */
  read(machine?: MachineReading): Promise<Room>
}

/** What our engines used of each device when that was asked last. */
interface Ours {
  readonly pids: string
  readonly bytes: ReadonlyMap<string, number>
}

/**
 * Other programs' memory is what is used less what ours use. Whose it is is asked seldom, as that is not cheap: in between it is
 * the same while the same engines run. Right after an exit it only shrinks, and while engines come and go it stays what it was.
 */
export const createRoomBook = ({ sensors, clock, pids, anonymousBytes }: RoomOptions): RoomBook => {
  const others = new Map<string, number>()
  let ours: Ours | undefined
  let lastExit = -Infinity
  let last: MachineReading | undefined

  const seen = ({ name, source, usedBytes }: DeviceReading): number | undefined => {
    if (usedBytes === null) return undefined
    const running = pids()
    if (running.length === 0) return usedBytes
    if (ours?.pids !== running.join()) return undefined
    const own = isMachine(source) ? sum(running.map((pid) => anonymousBytes(pid) ?? 0)) : (ours.bytes.get(name) ?? 0)
    return Math.max(0, usedBytes - own)
  }

  const othersOn = (reading: DeviceReading): number | undefined => {
    const known = others.get(reading.name)
    const now = seen(reading)
    const isUnsettled = clock.now() - lastExit < MEMORY_WAIT_MS
    const next = now === undefined || (isUnsettled && known !== undefined && known < now) ? known : now
    if (next !== undefined) others.set(reading.name, next)
    return next
  }

  /** A tool that fails does not take its devices out of the machine. */
  const reading = async (machine: MachineReading | undefined): Promise<MachineReading> => {
    const now = machine ?? (await sensors.known())
    const isLost = last !== undefined && hasCards(last) && !hasCards(now)
    last = isLost && last !== undefined ? { ...now, devices: last.devices, found: last.found ?? last.devices } : now
    return last
  }

  return {
    note: (uses) => {
      const running = pids()
      const own = running.map((pid) => deviceUseOf(pid, uses.processes))
      // A tool that knows none of ours does not see into their processes, as in a container
      const isTold = own.some((use) => use.size > 0) || uses.devices.every(({ source }) => isMachine(source))
      const bytes = new Map<string, number>()
      for (const use of own) for (const [device, part] of use) bytes.set(device, (bytes.get(device) ?? 0) + part)
      ours = isTold ? { pids: running.join(), bytes } : undefined
    },
    noteExit: () => {
      lastExit = clock.now()
    },
    read: async (machine) => {
      const { devices, found = devices } = await reading(machine)
      const room = new Map<string, number>()
      const taken = new Map<string, number>()
      for (const { name, totalBytes } of devices) {
        if (totalBytes === null) continue
        const real = found.find((each) => each.name === name)
        const other = real === undefined ? undefined : othersOn(real)
        if (other !== undefined) taken.set(name, other)
        const all = real?.totalBytes ?? totalBytes
        room.set(name, Math.max(0, Math.min(totalBytes, all - (other ?? 0))))
      }
      return { room, others: taken }
    },
  }
}

const hasCards = ({ devices, found = devices }: MachineReading): boolean =>
  found.some(({ source }) => !isMachine(source))

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)
