import { LswapError } from '../errors/failure.ts'
import { leastLoaded } from './least-loaded.ts'
import type { PickAnswer, Picker, RandomSource } from './picker.ts'
import { PREFIX_PICKER, prefixPicker } from './prefix/prefix-picker.ts'
import { DEFAULT_PROFILE, PROFILES } from './settings.ts'
import type { PickerSettings } from './settings.ts'
import { treePicker } from './tree-picker.ts'

export interface PickerOptions {
  readonly random: RandomSource
}

type Create = (settings: PickerSettings, options: PickerOptions) => Picker<PickAnswer>

const DEFAULT_PICKER = 'tree'

const PICKERS: ReadonlyMap<string, Create> = new Map<string, Create>([
  [DEFAULT_PICKER, (settings, options) => treePicker(settings, options)],
  ['least-loaded', () => leastLoaded],
  [PREFIX_PICKER, prefixPicker],
])

/** The values of `routing.picker.use`, the default first. */
export const PICKER_NAMES: readonly string[] = [...PICKERS.keys()]

const unknown = (key: string, value: string, valid: readonly string[]): LswapError =>
  new LswapError({
    code: 'invalid_config',
    message: `routing.picker.${key}: there is no ${JSON.stringify(value)}; valid are ${valid.join(', ')}`,
    hint: `Set routing.picker.${key} to one of: ${valid.join(', ')}.`,
  })

/** The picker that `routing.picker` asks for; throws `invalid_config` with the valid names when there is none such. */
export const createPicker = (settings: PickerSettings, options: PickerOptions): Picker<PickAnswer> => {
  const { use = DEFAULT_PICKER, profile = DEFAULT_PROFILE } = settings
  const create = PICKERS.get(use)
  if (create === undefined) throw unknown('use', use, PICKER_NAMES)
  if (!Object.hasOwn(PROFILES, profile)) throw unknown('profile', profile, Object.keys(PROFILES))
  return create(settings, options)
}
