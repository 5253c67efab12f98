/**
 * A value as text that is the same for equal values: keys of maps and objects in one order, absent and undefined alike.
 * For comparing only: it holds keys and whatever else is secret.
 */
export const canonical = (value: unknown): string => JSON.stringify(ordered(value)) ?? 'undefined'

const ordered = (value: unknown): unknown => {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => ordered(item))
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  return entries
    .filter(([, content]) => content !== undefined)
    .map(([key, content]): [string, unknown] => [String(key), ordered(content)])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}
