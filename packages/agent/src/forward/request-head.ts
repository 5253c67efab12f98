import { LswapError } from '@lswap/core'
import type { ForwardRequest } from './exchange.ts'
import { fieldKind, readConnection } from './field-kinds.ts'
import type { ConnectionField } from './field-kinds.ts'
import type { RequestFraming } from './request-framing.ts'

/** What of the head is the same for every request to one engine. */
export interface Target {
  /** `host:port`, as in the Host field and in messages. */
  readonly authority: string
  /** Put before every path; empty, or with a leading and no trailing slash. */
  readonly basePath: string
  /** The part that every head has: Host, Connection and the extra fields, each line with its CRLF. */
  readonly commonFields: string
  /** The same for a request that asks to switch protocols. */
  readonly upgradeFields: string
  /** Lower-case names of the extra fields: they replace the client's. */
  readonly replaced: ReadonlySet<string>
}

export interface TargetOptions {
  readonly host: string
  readonly port: number
  readonly tls?: boolean | undefined
  readonly basePath?: string | undefined
  readonly extraHeaders?: readonly string[] | undefined
}

export const createTarget = ({ host, port, tls, basePath = '', extraHeaders = [] }: TargetOptions): Target => {
  const bracketed = host.includes(':') ? `[${host}]` : host
  // As browsers write it: some servers know themselves by this name only
  const authority = tls === true && port === 443 ? bracketed : `${bracketed}:${port}`
  let extraFields = ''
  const replaced = new Set<string>()
  for (let i = 0; i + 1 < extraHeaders.length; i += 2) {
    const name = extraHeaders[i] as string
    extraFields += line(name, extraHeaders[i + 1] as string)
    replaced.add(name.toLowerCase())
  }
  const withConnection = (option: string): string => `Host: ${authority}\r\nConnection: ${option}\r\n${extraFields}`
  return {
    authority,
    basePath: basePath.replace(/\/+$/, ''),
    commonFields: withConnection('keep-alive'),
    upgradeFields: withConnection('Upgrade'),
    replaced,
  }
}

/**
 * The head as the engine gets it, to be written as Latin-1. Names, order and duplicates stay; hop-by-hop fields, Host
 * and framing are ours, `Expect` is answered by the router. Throws `invalid_request`.
 */
export const composeHead = (request: ForwardRequest, target: Target, framing: RequestFraming): string => {
  const options: ConnectionField = { close: false, keepAlive: false, named: undefined }
  const upgrade = request.upgrade === true
  let fields = passedFields(request.headers, { options, framing, upgrade, dropped: target.replaced })
  if (options.named !== undefined) {
    // Connection may name fields that came before it: once more, knowing them.
    const dropped = new Set([...target.replaced, ...options.named.filter((name) => !upgrade || name !== 'upgrade')])
    fields = passedFields(request.headers, { options, framing, upgrade, dropped })
  }
  if (typeof framing === 'number') fields += `Content-Length: ${framing}\r\n`
  else if (framing === 'chunked') fields += 'Transfer-Encoding: chunked\r\n'
  const { method, path } = request
  const common = upgrade ? target.upgradeFields : target.commonFields
  if (method.includes(' ') || path.includes(' ')) throw forbiddenCharacter()
  assertClean(method)
  assertClean(path)
  return `${method} ${target.basePath}${path} HTTP/1.1\r\n${common}${fields}\r\n`
}

interface Passing {
  readonly options: ConnectionField
  readonly framing: RequestFraming
  readonly upgrade: boolean
  readonly dropped: ReadonlySet<string>
}

const passedFields = (headers: readonly string[], { options, framing, upgrade, dropped }: Passing): string => {
  let fields = ''
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string
    const value = headers[i + 1] as string
    const kind = fieldKind(name)
    if (kind === 'connection') readConnection(value, options)
    else if (
      kind !== 'end-to-end' &&
      !(kind === 'trailer' && framing === 'chunked') &&
      !(upgrade && kind === 'upgrade')
    )
      continue
    else if (dropped.size === 0 || !dropped.has(name.toLowerCase())) fields += line(name, value)
  }
  return fields
}

const line = (name: string, value: string): string => {
  assertClean(name)
  assertClean(value)
  return `${name}: ${value}\r\n`
}

// A line break would smuggle a field, or a whole request, to the engine. Characters beyond Latin-1 would be cut to one byte
// when written, and that byte can be a line break (U+010A becomes one).
const assertClean = (text: string): void => {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if ((code < 32 && code !== 9) || code === 127 || code > 255) throw forbiddenCharacter()
  }
}

const forbiddenCharacter = (): LswapError =>
  new LswapError({ code: 'invalid_request', message: 'the request head has a character that HTTP forbids there' })
