/**
 * What a proxy does with a header field. `hop`: meant for one connection only, never passed on (RFC 9110 §7.6.1, and the
 * older `Keep-Alive` and `Proxy-*`). The framing fields and those that we answer ourselves have kinds of their own.
 */
type FieldKind =
  | 'end-to-end'
  | 'hop'
  | 'connection'
  | 'content-length'
  | 'transfer-encoding'
  | 'trailer'
  | 'host'
  | 'expect'

/** Compares without making a lower-case copy: this runs for every field of every message. `lower` has letters and `-` only. */
const isName = (name: string, lower: string): boolean => name.length === lower.length && startsWith(name, lower)

const startsWith = (name: string, lower: string): boolean => {
  for (let i = 0; i < lower.length; i += 1) {
    if ((name.charCodeAt(i) | 0x20) !== lower.charCodeAt(i)) return false
  }
  return true
}

// The length picks the candidates, so that most fields cost one comparison or none.
export const fieldKind = (name: string): FieldKind => {
  switch (name.length) {
    case 2:
      return isName(name, 'te') ? 'hop' : 'end-to-end'
    case 4:
      return isName(name, 'host') ? 'host' : 'end-to-end'
    case 6:
      return isName(name, 'expect') ? 'expect' : 'end-to-end'
    case 7:
      if (isName(name, 'trailer')) return 'trailer'
      return isUpgrade(name) ? 'hop' : 'end-to-end'
    case 10:
      if (isName(name, 'connection')) return 'connection'
      return isName(name, 'keep-alive') ? 'hop' : 'end-to-end'
    case 14:
      return isName(name, 'content-length') ? 'content-length' : 'end-to-end'
    case 17:
      if (isName(name, 'transfer-encoding')) return 'transfer-encoding'
      return isProxyField(name)
    default:
      return isProxyField(name)
  }
}

export const isUpgrade = (name: string): boolean => isName(name, 'upgrade')

const isProxyField = (name: string): FieldKind => (startsWith(name, 'proxy-') ? 'hop' : 'end-to-end')

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
