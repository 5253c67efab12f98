import { needInAll, needOn, readable, type DeviceBytes, type ModelSize } from './sizes.ts'

/** The first device on which the models do not fit together, in bytes; undefined: they fit. */
export interface Shortage {
  readonly device: string
  readonly needed: number
  readonly has: number
}

const ALL = 'all devices together'

export const shortageOf = (sizes: readonly ModelSize[], budget: DeviceBytes): Shortage | undefined => {
  let has = 0
  for (const [device, bytes] of budget) {
    has += bytes
    const needed = sizes.reduce((sum, size) => sum + needOn(size, device), 0)
    if (needed > bytes) return { device, needed, has: bytes }
  }
  for (const { bytes } of sizes) {
    if (typeof bytes === 'number') continue
    for (const [device, needed] of bytes) if (!budget.has(device)) return { device, needed, has: 0 }
  }
  const needed = sizes.reduce((sum, size) => sum + needInAll(size), 0)
  return needed > has ? { device: ALL, needed, has } : undefined
}

/** `others`: what programs that are none of ours use of each device. */
export const describe = ({ device, needed, has }: Shortage, others: DeviceBytes | undefined): string => {
  const taken = device === ALL ? [...(others ?? [])].reduce((sum, [, bytes]) => sum + bytes, 0) : others?.get(device)
  const beside = taken === undefined || taken < NOTICED ? '' : `, as other programs use ${readable(taken)}`
  return `needs ${readable(needed)} on ${device}, has ${readable(has)}${beside}`
}

/** What drivers and desktops always take is no explanation. */
const NOTICED = 2 ** 30
