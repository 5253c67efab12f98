/** One request as RFC 9112 reads it, without any of the liberties that it allows. */
export interface StrictRequest {
  readonly method: string
  readonly target: string
  /** Names in lower case; the texts are Latin-1. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

export interface Reading {
  /** Those that are whole and right, up to the first that is not. */
  readonly requests: readonly StrictRequest[]
  /** `more`: the bytes end inside of a request that is right so far; a text: what is wrong with it. */
  readonly end: 'whole' | 'more' | (string & {})
}

class Broken extends Error {}
class More extends Error {}

/** Reads everything that came over one connection. Written from the RFC alone: it is what the router is measured by. */
export const readStrictly = (bytes: Buffer): Reading => {
  const requests: StrictRequest[] = []
  let at = 0
  try {
    for (;;) {
      // Empty lines before a request are to be ignored (2.2); what ends them matters to nobody
      while (bytes[at] === 0x0d || bytes[at] === 0x0a) at += 1
      if (at === bytes.length) return { requests, end: 'whole' }
      const { request, end } = readOne(bytes, at)
      requests.push(request)
      at = end
    }
  } catch (error) {
    if (error instanceof More) return { requests, end: 'more' }
    if (error instanceof Broken) return { requests, end: error.message }
    throw error
  }
}

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

const readOne = (bytes: Buffer, from: number): { request: StrictRequest; end: number } => {
  const line = readLine(bytes, from)
  // Several blanks may count as one (3)
  const [, method = '', target = '', minor] = /^(\S+) +([\x21-\xff]+) HTTP\/1\.([01])$/.exec(line.text) ?? []
  if (minor === undefined || !/^[A-Z-]+$/.test(method)) throw new Broken('request line')
  const { fields, end } = readFields(bytes, line.end)
  const all = (name: string): string[] => fields.filter(([field]) => field === name).map(([, value]) => value)
  const hosts = all('host')
  if (hosts.length > 1 || (hosts.length === 0 && minor === '1')) throw new Broken('Host')
  const lengths = all('content-length')
  const codings = all('transfer-encoding')
  const request = { method, target, fields }
  if (codings.length > 0) {
    const isChunked = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked'
    if (!isChunked || lengths.length > 0 || minor === '0') throw new Broken('framing')
    const chunked = readChunks(bytes, end)
    return { request: { ...request, body: chunked.body }, end: chunked.end }
  }
  if (lengths.length > 1 || !lengths.every((text) => /^\d{1,15}$/.test(text))) throw new Broken('Content-Length')
  const bodyEnd = end + Number(lengths[0] ?? 0)
  if (bodyEnd > bytes.length) throw new More()
  return { request: { ...request, body: bytes.subarray(end, bodyEnd) }, end: bodyEnd }
}

const readLine = (bytes: Buffer, from: number): { readonly text: string; readonly end: number } => {
  const lf = bytes.indexOf(0x0a, from)
  const text = bytes.toString('latin1', from, lf < 0 ? bytes.length : lf)
  const cr = text.indexOf('\r')
  if (cr !== -1 && cr < text.length - 1) throw new Broken('bare CR')
  if (lf < 0) throw new More()
  if (cr === -1) throw new Broken('bare LF')
  return { text: text.slice(0, -1), end: lf + 1 }
}

const readFields = (bytes: Buffer, from: number): { fields: [string, string][]; end: number } => {
  const fields: [string, string][] = []
  for (let at = from; ;) {
    const { text, end } = readLine(bytes, at)
    at = end
    if (text === '') return { fields, end }
    const colon = text.indexOf(':')
    const name = text.slice(0, Math.max(colon, 0))
    const value = text.slice(colon + 1)
    if (!TOKEN.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw new Broken('field')
    fields.push([name.toLowerCase(), value.replaceAll(/^[ \t]+|[ \t]+$/g, '')])
  }
}

const readChunks = (bytes: Buffer, from: number): { body: Buffer; end: number } => {
  const chunks: Buffer[] = []
  for (let at = from; ;) {
    const line = readLine(bytes, at)
    const [, digits] = /^([\da-f]{1,8})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/i.exec(line.text) ?? []
    if (digits === undefined) throw new Broken('chunk size')
    const size = Number.parseInt(digits, 16)
    if (size === 0) return { body: Buffer.concat(chunks), end: readFields(bytes, line.end).end }
    at = line.end + size
    if (at + 2 > bytes.length) throw new More()
    if (bytes.toString('latin1', at, at + 2) !== '\r\n') throw new Broken('chunk end')
    chunks.push(bytes.subarray(line.end, at))
    at += 2
  }
}
