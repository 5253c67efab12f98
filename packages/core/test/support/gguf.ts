/** What a key of a GGUF file may be here; arrays of at least one. */
export type GgufValue = string | number | readonly number[] | readonly string[]

const UINT32 = 4
const STRING = 8
const ARRAY = 9

const long = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const text = (value: string): Buffer => Buffer.concat([long(Buffer.byteLength(value)), Buffer.from(value)])

const encoded = (value: GgufValue): Buffer => {
  if (typeof value === 'number') return Buffer.concat([int(UINT32), int(value)])
  if (typeof value === 'string') return Buffer.concat([int(STRING), text(value)])
  const kind = typeof value[0] === 'number' ? UINT32 : STRING
  const items = value.map((each) => (typeof each === 'number' ? int(each) : text(each)))
  return Buffer.concat([int(ARRAY), int(kind), long(value.length), ...items])
}

/** The beginning of a GGUF file with these keys in this order, and so many bytes behind it. */
export const gguf = (keys: Readonly<Record<string, GgufValue>> = {}, bytesBehind = 0): Buffer => {
  const pairs = Object.entries({ 'general.architecture': 'llama', ...keys })
  const head = [Buffer.from('GGUF'), int(3), long(0), long(pairs.length)]
  const told = pairs.flatMap(([key, value]) => [text(key), encoded(value)])
  return Buffer.concat([...head, ...told, Buffer.alloc(bytesBehind)])
}
