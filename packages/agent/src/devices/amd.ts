import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DeviceClock } from './clock.ts'
import type { DeviceReading } from './reading.ts'

// Not tested on a machine that has one; the files are those that the kernel's driver amdgpu documents.

const numberAt = async (path: string, factor: number): Promise<number | null> => {
  const text = (await readFile(path, 'latin1').catch(() => '')).trim()
  return /^\d+$/.test(text) ? Number(text) * factor : null
}

const sensorsOf = async (device: string): Promise<string> => {
  const [first = ''] = await readdir(join(device, 'hwmon')).catch(() => [])
  return join(device, 'hwmon', first)
}

/** AMD's devices, by the files of their driver. `root` is where the files of the system lie. */
export const readAmdDevices = async (clock: DeviceClock, root = '/'): Promise<readonly DeviceReading[]> => {
  const base = join(root, 'sys/class/drm')
  const cards = (await readdir(base).catch(() => [])).filter((name) => /^card\d+$/.test(name))
  const numbered = cards.toSorted((a, b) => Number(a.slice(4)) - Number(b.slice(4)))
  const found = await Promise.all(
    numbered.map(async (card) => {
      const device = join(base, card, 'device')
      const totalBytes = await numberAt(join(device, 'mem_info_vram_total'), 1)
      if (totalBytes === null) return undefined
      const sensors = await sensorsOf(device)
      const [usedBytes, use, temperatureC, average, input] = await Promise.all([
        numberAt(join(device, 'mem_info_vram_used'), 1),
        numberAt(join(device, 'gpu_busy_percent'), 0.01),
        numberAt(join(sensors, 'temp1_input'), 0.001),
        numberAt(join(sensors, 'power1_average'), 1e-6),
        numberAt(join(sensors, 'power1_input'), 1e-6),
      ])
      return { totalBytes, usedBytes, use, temperatureC, powerWatts: average ?? input }
    }),
  )
  return found
    .filter((reading) => reading !== undefined)
    .map((reading, at) =>
      Object.assign(reading, { name: `gpu${at}`, label: null, source: 'amd', sampledAt: clock.now() }),
    )
}
