import type { ModelConfig } from '@lswap/core'
import type { DeviceClock } from '../devices/clock.ts'
import type { Devices } from '../devices/devices.ts'
import type { DeviceReading } from '../devices/reading.ts'
import type { MemoryWatch } from './run-swap.ts'
import { isShort, MEMORY_WAIT_MS, waitForMemory, type Need } from '../devices/memory-wait.ts'

/** What the memory of this host means for starts. */
export interface HostMemoryBook {
  /** A process ended: its memory may still come. */
  noteExit(): void
  /** Begins before anything is stopped for a start of the model. */
  watch(model: ModelConfig | undefined, isMakingRoom: boolean): MemoryWatch
}

/** Until the order to end has left this process. */
const ASKED_MS = 1

export interface HostMemoryOptions {
  readonly sensors: Devices
  readonly clock: DeviceClock
  /** What a start of the definition was measured to need. */
  readonly peakOf: (model: ModelConfig) => Need | undefined
}

export const createHostMemory = ({ sensors, clock, peakOf }: HostMemoryOptions): HostMemoryBook => {
  const known = async () => (await sensors.known()).devices
  const look = async () => (await sensors.look()).devices
  let lastExit = -Infinity

  /** After the engine was asked to end: that comes first. */
  const expectLook = (need: Need, before: Promise<readonly DeviceReading[]>): (() => void) => {
    let isOver = false
    let drop: (() => void) | undefined
    const prepare = async (): Promise<void> => {
      const devices = await before
      if (!isOver && isShort(need, devices)) drop = sensors.expectLook()
    }
    const cancel = clock.after(ASKED_MS, () => void prepare().catch(() => {}))
    return () => {
      isOver = true
      cancel()
      drop?.()
    }
  }

  return {
    noteExit() {
      lastExit = clock.now()
    },
    watch(model, isMakingRoom) {
      const need = model && (model.memory ?? peakOf(model))
      if (need === undefined) return { freed: async () => {}, end: () => {} }
      const before = isMakingRoom ? known() : undefined
      const forget = before && expectLook(need, before)
      return {
        freed: async (signal, onWait) => {
          // Where nothing ended lately nothing will be given back, and whoever decided on the start knows what is free
          if (clock.now() - lastExit > MEMORY_WAIT_MS) return
          await waitForMemory({ need, before: await before, known, look, clock, signal, onWait })
        },
        end: () => forget?.(),
      }
    },
  }
}
