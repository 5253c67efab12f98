import type { BodyLimits } from './config.ts'
import type { RawConfig } from './schema.ts'
import { parseSize } from './sizes.ts'

const KEYS = ['maxBodyBytes', 'maxUploadBytes', 'waitingBodyMemory', 'waitingBodyDisk'] as const

/** The bounds on bodies that a file gives; the others have the router's defaults. */
export const readBodies = (raw: RawConfig): BodyLimits =>
  Object.fromEntries(
    KEYS.flatMap((key) => {
      const given = raw[key]
      const bytes = given === undefined ? undefined : parseSize(given)
      return bytes === undefined ? [] : [[key, bytes]]
    }),
  )
