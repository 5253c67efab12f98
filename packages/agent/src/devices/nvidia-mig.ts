import type { DeviceReading } from './reading.ts'

// Devices that are split, as `nvidia-smi -q -x` tells of them. Tried with stand-ins only.

const MEBIBYTE = 1_048_576

/** One part of a split device, with a memory of its own. */
export interface Slice {
  readonly name: string
  readonly totalBytes: number | null
  readonly usedBytes: number | null
}

/** What one process uses of a part. */
export interface SliceUse {
  readonly device: string
  readonly pid: number
  readonly bytes: number
}

export interface SplitDevices {
  /** Ids of the devices that are split, with their parts. */
  readonly slices: ReadonlyMap<string, readonly Slice[]>
  readonly processes: readonly SliceUse[]
}

const blocks = (text: string, tag: string): readonly string[] =>
  [...text.matchAll(new RegExp(`<${tag}(?:\\s[^>]*)?>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, inner = '']) => inner)

const textIn = (block: string, tag: string): string | undefined => blocks(block, tag)[0]?.trim()

/** `[N/A]` and the like are no numbers. */
const bytesIn = (text: string | undefined): number | null => {
  const number = /^(\d+) MiB$/.exec(text ?? '')?.[1]
  return number === undefined ? null : Number(number) * MEBIBYTE
}

/** Reads the whole page; devices that are not split are left out. `nameOf`: what a device is called, by its id. */
export const readSplitDevices = (xml: string, nameOf: (uuid: string) => string | undefined): SplitDevices => {
  const slices = new Map<string, readonly Slice[]>()
  const processes: SliceUse[] = []
  for (const gpu of blocks(xml, 'gpu')) {
    const uuid = textIn(gpu, 'uuid') ?? ''
    const name = nameOf(uuid)
    const parts = blocks(textIn(gpu, 'mig_devices') ?? '', 'mig_device')
    if (name === undefined || parts.length === 0) continue
    // Compute instances of one part share its memory
    const byInstance = new Map<string, Slice>()
    for (const part of parts) {
      const instance = textIn(part, 'gpu_instance_id') ?? ''
      if (byInstance.has(instance)) continue
      const memory = textIn(part, 'fb_memory_usage') ?? ''
      byInstance.set(instance, {
        name: `${name}-mig${textIn(part, 'index') ?? byInstance.size}`,
        totalBytes: bytesIn(textIn(memory, 'total')),
        usedBytes: bytesIn(textIn(memory, 'used')),
      })
    }
    slices.set(uuid, [...byInstance.values()])
    for (const one of blocks(gpu, 'process_info')) {
      const device = byInstance.get(textIn(one, 'gpu_instance_id') ?? '')?.name
      const bytes = bytesIn(textIn(one, 'used_memory'))
      const pid = Number(textIn(one, 'pid'))
      if (device !== undefined && bytes !== null && Number.isInteger(pid)) processes.push({ device, pid, bytes })
    }
  }
  return { slices, processes }
}

/** A split device as its parts; use, temperature and power are those of the whole, which nobody knows by part. */
export const splitReading = (
  whole: DeviceReading,
  parts: readonly Slice[],
  sampledAt: number,
): readonly DeviceReading[] =>
  parts.map((part) =>
    Object.assign({}, whole, part, {
      label: whole.label === null ? 'MIG' : `${whole.label}, MIG`,
      use: null,
      sampledAt,
    }),
  )
