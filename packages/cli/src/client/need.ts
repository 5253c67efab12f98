import { bytes } from '../print/units.ts'
import { isRecord, optionalNumber, optionalText } from './fields.ts'

/** What a model is taken to need and how that is known, as in `8.0 GiB measured`. */
export const needText = (size: unknown): string | undefined => {
  if (!isRecord(size)) return undefined
  const needed = optionalNumber(size, 'bytes')
  return needed === undefined ? undefined : `${bytes(needed)} ${optionalText(size, 'source') ?? ''}`.trimEnd()
}
