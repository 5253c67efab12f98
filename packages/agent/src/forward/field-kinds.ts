/**
 * What a proxy does with a header field. `hop`: meant for one connection only, never passed on (RFC 9110 §7.6.1, and the
 * older `Keep-Alive` and `Proxy-*`). The framing fields, those that we answer
 * ourselves and the offer to switch protocols have kinds of their own.
 */
type FieldKind =
  | 'end-to-end'
  | 'hop'
  | 'connection'
  | 'content-length'
  | 'transfer-encoding'
  | 'trailer'
  | 'upgrade'
  | 'host'
  | 'expect'

const KINDS: ReadonlyMap<string, FieldKind> = new Map([
  ['connection', 'connection'],
  ['content-length', 'content-length'],
  ['expect', 'expect'],
  ['host', 'host'],
  ['keep-alive', 'hop'],
  ['te', 'hop'],
  ['trailer', 'trailer'],
  ['transfer-encoding', 'transfer-encoding'],
  ['upgrade', 'upgrade'],
])

export const fieldKind = (name: string): FieldKind => {
  const lower = name.toLowerCase()
  return KINDS.get(lower) ?? (lower.startsWith('proxy-') ? 'hop' : 'end-to-end')
}

/** What one or more `Connection` fields say. */
export interface ConnectionField {
  close: boolean
  keepAlive: boolean
  /** Names, in lower case, of further fields that are meant for this connection only. */
  named: string[] | undefined
}

export const readConnection = (value: string, into: ConnectionField): void => {
  for (const part of value.split(',')) {
    const token = part.trim().toLowerCase()
    if (token === 'close') into.close = true
    else if (token === 'keep-alive') into.keepAlive = true
    else if (token !== '') (into.named ??= []).push(token)
  }
}

/** Removes the fields that `Connection` named; rare, hence a pass of its own. */
export const withoutNamed = (fields: readonly string[], named: readonly string[]): string[] => {
  const kept: string[] = []
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] as string
    if (!named.includes(name.toLowerCase())) kept.push(name, fields[i + 1] as string)
  }
  return kept
}

/** Trailers that may be passed on: never framing, routing or connection fields (RFC 9110 §6.5.1). */
export const passableTrailers = (fields: readonly string[]): string[] => {
  const kept: string[] = []
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i] as string
    if (fieldKind(name) === 'end-to-end') kept.push(name, fields[i + 1] as string)
  }
  return kept
}
