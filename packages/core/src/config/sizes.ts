import * as z from 'zod'
import { mapOf } from './schema-kinds.ts'

const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1e3],
  ['mb', 1e6],
  ['gb', 1e9],
  ['tb', 1e12],
  ['kib', 2 ** 10],
  ['mib', 2 ** 20],
  ['gib', 2 ** 30],
  ['tib', 2 ** 40],
])

const SIZE = /^(\d{1,15}(?:\.\d{1,6})?) ?([a-z]{0,3})$/i

/** Bytes of `18GiB`, `18 GB`, `17.5 GiB` or `512MiB`, or of a plain number of bytes; undefined: no size. */
export const parseSize = (given: string | number): number | undefined => {
  const [, amount, unit] = SIZE.exec(String(given).trim()) ?? []
  const factor = UNITS.get(unit?.toLowerCase() ?? '')
  if (amount === undefined || factor === undefined) return undefined
  const bytes = Math.round(Number(amount) * factor)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** No model is smaller: who writes 18 means GiB. */
const LEAST = 2 ** 20
const EXAMPLES = 'a size of 1MiB or more, like 18GiB or 512MiB'

const isLarge = (given: string | number): boolean => (parseSize(given) ?? 0) >= LEAST

const size = (error: string, isGood: (given: string | number) => boolean) =>
  z.union([z.number(), z.string()], { error }).refine(isGood, { error })

/** One size for the local host's devices by name, or such a map for each host. */
export const devicesSchema = () => mapOf(z.union([size(EXAMPLES, isLarge), mapOf(size(EXAMPLES, isLarge))], DEVICE))
const DEVICE = { error: `${EXAMPLES}, or a map from device to size for the host of this name` }

const BODY = 'a size of 1 byte or more, like 256MiB or 4GiB'

/** A bound on bodies of requests. */
export const bodySizeSchema = () => size(BODY, (given) => (parseSize(given) ?? 0) >= 1)

/** 0 for what runs beside the devices, on the CPU. */
const isNeed = (given: string | number): boolean => parseSize(given) === 0 || isLarge(given)
const NEED = `0 or ${EXAMPLES}`

/** One size for all devices together, or a size for each. */
export const memorySchema = () =>
  z.union([size(NEED, isNeed), mapOf(size(NEED, isNeed))], { error: `${NEED}, or a map from device to size` })
