export type Field = readonly [name: string, value: string]

/** One message as it came over the wire, its framing taken off; the texts are Latin-1. */
export interface Message {
  readonly start: string
  readonly fields: readonly Field[]
  readonly framing: 'none' | 'length' | 'chunked' | 'close'
  /** What has come of the body. */
  readonly body: Buffer
  readonly trailers: readonly Field[]
  /** Start lines of the 1xx answers before it. */
  readonly informations: readonly string[]
  /** False: more must come. A body until the close is never complete by itself. */
  readonly isComplete: boolean
  /** Where the next message begins. */
  readonly end: number
}

/** Undefined: the head is not there yet. `method`: of the request that is answered; absent: these are requests. */
export const readMessage = (bytes: Buffer, method?: string): Message | undefined => {
  const informations: string[] = []
  let from = 0
  for (;;) {
    const headEnd = bytes.indexOf('\r\n\r\n', from)
    if (headEnd < 0) return undefined
    const [start = '', ...lines] = bytes.toString('latin1', from, headEnd).split('\r\n')
    from = headEnd + 4
    if (method !== undefined && / 1\d\d /.test(start)) informations.push(start)
    else return withBody({ start, fields: lines.map(fieldOf), informations }, { bytes, from, method })
  }
}

export const valueOf = (fields: readonly Field[], name: string): string | undefined =>
  fields.find(([field]) => field.toLowerCase() === name)?.[1]

interface Place {
  readonly bytes: Buffer
  readonly from: number
  readonly method: string | undefined
}

type Head = Pick<Message, 'start' | 'fields' | 'informations'>

const withBody = (head: Head, { bytes, from, method }: Place): Message => {
  const isBodyless = method === 'HEAD' || (method !== undefined && / (?:204|304)(?: |$)/.test(head.start))
  const length = valueOf(head.fields, 'content-length')
  const none = bytes.subarray(from, from)
  if (isBodyless) return { ...head, framing: 'none', body: none, trailers: [], isComplete: true, end: from }
  if (valueOf(head.fields, 'transfer-encoding') !== undefined) return { ...head, ...readChunks(bytes, from) }
  if (length !== undefined) {
    const end = from + Number(length)
    const body = bytes.subarray(from, end)
    return { ...head, framing: 'length', body, trailers: [], isComplete: bytes.length >= end, end }
  }
  if (method === undefined) return { ...head, framing: 'none', body: none, trailers: [], isComplete: true, end: from }
  const body = bytes.subarray(from)
  return { ...head, framing: 'close', body, trailers: [], isComplete: false, end: bytes.length }
}

const readChunks = (bytes: Buffer, from: number): Omit<Message, keyof Head> => {
  let body = bytes.subarray(from, from)
  let at = from
  const partial = { framing: 'chunked', trailers: [], isComplete: false, end: bytes.length } as const
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return { ...partial, body }
    const size = sizeOf(bytes.toString('latin1', at, lineEnd))
    at = lineEnd + 2
    if (size === 0) break
    body = joined(body, bytes.subarray(at, at + size))
    at += size + 2
    if (at > bytes.length) return { ...partial, body }
  }
  const trailers: Field[] = []
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return { ...partial, body }
    const line = bytes.toString('latin1', at, lineEnd)
    at = lineEnd + 2
    if (line === '') return { framing: 'chunked', body, trailers, isComplete: true, end: at }
    trailers.push(fieldOf(line))
  }
}

/** Of a chunk; throws where the line tells none, since nothing that follows could be read. */
const sizeOf = (line: string): number => {
  const [, digits] = /^([\da-f]{1,8})(?:[ \t]*;.*)?$/i.exec(line) ?? []
  if (digits === undefined) throw new Error(`no size of a chunk: ${JSON.stringify(line.slice(0, 100))}`)
  return Number.parseInt(digits, 16)
}

const joined = (first: Buffer, second: Buffer): Buffer => Buffer.concat([first, second])

const fieldOf = (line: string): Field => {
  const [, name = line, value = ''] = /^([^:]*):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
  return [name, value]
}
