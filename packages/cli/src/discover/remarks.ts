import type { Discovery } from './discover.ts'

/** A folder of other things is not listed to its end. */
const MAX_TOLD = 10

/** What a person should know who misses a model among those that were found: a line each. */
export const remarksOn = ({ cut, passedOver }: Pick<Discovery, 'cut' | 'passedOver'>): readonly string[] => {
  const more = passedOver.length - MAX_TOLD
  return [
    ...cut.map(({ what, path }) => `${what} (${path}) holds more than was looked at; models may be missing`),
    ...passedOver.slice(0, MAX_TOLD).map(({ path, why }) => `passed over: ${path}: ${why}`),
    ...(more > 0 ? [`passed over: ${more} more`] : []),
  ]
}
