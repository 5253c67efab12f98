/** What became of a list whose items have keys. */
export interface Patch<Item, Key> {
  /** Items that are new or changed, whole. */
  readonly set: Item[]
  /** The keys of all that are there now, in order; null: as before. */
  readonly order: Key[] | null
}

export const patched = <Item, Key>(
  items: readonly Item[],
  { set, order }: Patch<Item, Key>,
  keyOf: (item: Item) => Key,
): Item[] => {
  const known = new Map([...items, ...set].map((item) => [keyOf(item), item]))
  return (order ?? items.map(keyOf)).flatMap((key) => known.get(key) ?? [])
}

export interface Comparison<Item, Key> {
  readonly keyOf: (item: Item) => Key
  /** Default: the same data all through. */
  readonly isSame?: (before: Item, after: Item) => boolean
}

/** Undefined: nothing changed. */
export const patchOf = <Item, Key>(
  before: readonly Item[],
  after: readonly Item[],
  { keyOf, isSame = isSameData }: Comparison<Item, Key>,
): Patch<Item, Key> | undefined => {
  const known = new Map(before.map((item) => [keyOf(item), item]))
  const set = after.filter((item) => {
    const old = known.get(keyOf(item))
    return old === undefined || !isSame(old, item)
  })
  const order = after.map(keyOf)
  const isReordered = order.length !== before.length || before.some((item, at) => keyOf(item) !== order[at])
  return set.length === 0 && !isReordered ? undefined : { set, order: isReordered ? order : null }
}

/** Whether two pieces of JSON data say the same. */
export const isSameData = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const left = Object.entries(a)
  const right = b as Readonly<Record<string, unknown>>
  return left.length === Object.keys(right).length && left.every(([key, value]) => isSameData(value, right[key]))
}
