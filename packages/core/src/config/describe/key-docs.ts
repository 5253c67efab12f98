/** What a person wants to know of a key. */
export interface KeyDoc {
  readonly meaning: string
  /** As it is written in a file; absent: nothing, or told in the meaning. */
  readonly default?: string
}

export type KeyDocs = Readonly<Record<string, KeyDoc>>

/** Without a default where it is undefined. */
export const doc = (meaning: string, byDefault?: string): KeyDoc =>
  byDefault === undefined ? { meaning } : { meaning, default: byDefault }

/** The same keys at another place. */
export const under = (place: string, docs: KeyDocs): KeyDocs =>
  Object.fromEntries(Object.entries(docs).map(([path, one]) => [`${place}.${path}`, one]))
