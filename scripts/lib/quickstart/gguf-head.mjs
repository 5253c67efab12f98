import { open } from 'node:fs/promises'

const headBytes = 4096
const architectureKey = Buffer.from('general.architecture')
const stringType = 8

/**
 * The architecture that a GGUF file names, as `llama` or `bert`; undefined where it is no GGUF file, or names none in
 * its first bytes (writers put it first).
 */
export async function architectureOf(path) {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return readArchitecture(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/** As above, from the file's first bytes. GGUF: every string is its length in 8 bytes, little end first, then UTF-8. */
function readArchitecture(head) {
  if (head.subarray(0, 4).toString('latin1') !== 'GGUF') return undefined
  const key = head.indexOf(architectureKey)
  const type = key + architectureKey.length
  const text = type + 12
  if (key === -1 || text > head.length || head.readUInt32LE(type) !== stringType) return undefined
  const length = Number(head.readBigUInt64LE(type + 4))
  return text + length <= head.length ? head.toString('utf8', text, text + length) : undefined
}
