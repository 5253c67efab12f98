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

const pair = (key: string, value: string | number | readonly string[]): Buffer => {
  if (typeof value === 'number') return Buffer.concat([text(key), int(UINT32), int(value)])
  if (typeof value === 'string') return Buffer.concat([text(key), int(STRING), text(value)])
  return Buffer.concat([text(key), int(ARRAY), int(STRING), long(value.length), ...value.map(text)])
}

/** The beginning of a GGUF file with these keys, and so many bytes behind it. */
export const gguf = (
  keys: Readonly<Record<string, string | number | readonly string[]>> = {},
  bytesBehind = 0,
): Buffer => {
  const pairs = Object.entries({ 'general.architecture': 'llama', ...keys })
  const head = [Buffer.from('GGUF'), int(3), long(0), long(pairs.length)]
  return Buffer.concat([...head, ...pairs.map(([key, value]) => pair(key, value)), Buffer.alloc(bytesBehind)])
}
