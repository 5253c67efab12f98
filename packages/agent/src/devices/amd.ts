import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DeviceClock } from './clock.ts'
import type { DeviceReading } from './reading.ts'

// Not tested on a machine that has one; the files are those that the kernel's driver amdgpu documents.

const numberAt = async (path: string, factor: number): Promise<number | null> => {
  const text = (await readFile(path, 'latin1').catch(() => '')).trim()
  return /^\d+$/.test(text) ? Number(text) * factor : null
}

/** How often it is looked which devices there are: a driver that is loaded later is rare. */
const LIST_MS = 60_000

/** Where the files of one device lie. */
interface Card {
  readonly device: string
  readonly sensors: string
}

/** AMD's devices. */
export interface AmdSource {
  read(): Promise<readonly DeviceReading[]>
}

const cardsIn = async (root: string): Promise<readonly Card[]> => {
  const base = join(root, 'sys/class/drm')
  const names = (await readdir(base).catch(() => [])).filter((name) => /^card\d+$/.test(name))
  const numbered = names.toSorted((a, b) => Number(a.slice(4)) - Number(b.slice(4)))
  const found = await Promise.all(
    numbered.map(async (name) => {
      const device = join(base, name, 'device')
      if ((await numberAt(join(device, 'mem_info_vram_total'), 1)) === null) return undefined
      const [first = ''] = await readdir(join(device, 'hwmon')).catch(() => [])
      return { device, sensors: join(device, 'hwmon', first) }
    }),
  )
  return found.filter((card) => card !== undefined)
}

const readCard = async ({ device, sensors }: Card) => {
  const totalBytes = await numberAt(join(device, 'mem_info_vram_total'), 1)
  if (totalBytes === null) return undefined
  const [usedBytes, use, temperatureC, average, input] = await Promise.all([
    numberAt(join(device, 'mem_info_vram_used'), 1),
    numberAt(join(device, 'gpu_busy_percent'), 0.01),
    numberAt(join(sensors, 'temp1_input'), 0.001),
    numberAt(join(sensors, 'power1_average'), 1e-6),
    numberAt(join(sensors, 'power1_input'), 1e-6),
  ])
  return { totalBytes, usedBytes, use, temperatureC, powerWatts: average ?? input }
}

/** AMD's devices, by the files of their driver. `root` is where the files of the system lie. */
export const createAmdSource = (clock: Pick<DeviceClock, 'now'>, root = '/'): AmdSource => {
  let cards: Promise<readonly Card[]> | undefined
  let listedAt = -Infinity
  return {
    read: async () => {
      if (cards === undefined || clock.now() - listedAt >= LIST_MS) {
        listedAt = clock.now()
        cards = cardsIn(root)
      }
      const found = await Promise.all((await cards).map(readCard))
      return found
        .filter((reading) => reading !== undefined)
        .map((reading, at) =>
          Object.assign(reading, { name: `gpu${at}`, label: null, source: 'amd', sampledAt: clock.now() }),
        )
    },
  }
}
