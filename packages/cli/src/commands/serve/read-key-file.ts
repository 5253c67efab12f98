import type { KeyFileReading } from '@lswap/core'
import { closeSync, openSync, readSync } from 'node:fs'
import { fileReason } from '../../print/file-reason.ts'

/** No key comes near; a file that goes on (a device, a log) is another one than meant. */
const MAX_BYTES = 16 * 1024

/** Reads a file that holds a key. */
export const readKeyFile = (path: string): KeyFileReading => {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(MAX_BYTES + 1)
      let length = 0
      for (let more = -1; more !== 0 && length < bytes.length; length += more) {
        more = readSync(file, bytes, length, bytes.length - length, null)
      }
      if (length > MAX_BYTES) return { ok: false, reason: `it has more than ${MAX_BYTES} bytes` }
      return { ok: true, text: bytes.toString('utf8', 0, length) }
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return { ok: false, reason: fileReason(error) }
  }
}
