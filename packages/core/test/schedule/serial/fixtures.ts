import { DEFAULT_SERIAL, type SerialSettings } from '../../../src/index.ts'
import type { RigOptions } from '../fixtures.ts'
import { model, Rig } from '../rig.ts'

export const serial = (more: Partial<SerialSettings> = {}): SerialSettings => ({ ...DEFAULT_SERIAL, ...more })

/** A rig under serial, with a slot for each model. */
export const rigOf = (
  ids: readonly string[],
  more: Partial<SerialSettings> = {},
  options: Partial<RigOptions> = {},
): Rig => new Rig({ models: ids.map((id) => model(id)), policy: serial(more), ...options })
