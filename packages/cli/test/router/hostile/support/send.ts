import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { tlsIdentity } from '../../../fixtures.ts'

/** What a client saw of what it sent. */
export interface Seen {
  /** Of the last answer; undefined: none came. */
  readonly status: number | undefined
  /** Its body. */
  readonly text: string
  /** How many answers began. */
  readonly answers: number
  readonly isEnded: boolean
}

/** No connection of a test stays open longer. */
const LIMIT_MS = 60_000

/**
 * Sends bytes on a connection of its own. `ended`: waits until the router closes it; `answered`: leaves after so many
 * answers, one by default. `secure`: over TLS.
 */
export const sendRaw = (
  port: number,
  bytes: Buffer,
  wait: 'ended' | 'answered' | number,
  secure = false,
): Promise<Seen> =>
  new Promise((resolve) => {
    const place = { port, host: '127.0.0.1' }
    const socket = secure ? connectTls({ ...place, ca: tlsIdentity().cert }) : connect({ ...place, noDelay: true })
    const wanted = wait === 'ended' ? Number.POSITIVE_INFINITY : wait === 'answered' ? 1 : wait
    let text = ''
    const finish = (isEnded: boolean): void => {
      clearTimeout(limit)
      socket.destroy()
      const heads = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/g)].filter(([, status]) => status !== '100')
      const last = heads.at(-1)
      const body = last === undefined ? '' : text.slice(last.index + last[0].length)
      const status = last === undefined ? undefined : Number(last[1])
      resolve({ status, text: body, answers: heads.length, isEnded })
    }
    const limit = setTimeout(() => finish(false), LIMIT_MS)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      // Every answer of the engine and of lswap is one JSON object that closes last
      if ((text.match(/\r\n\r\n\{[^]*?\}(?=HTTP|$)/g)?.length ?? 0) >= wanted) finish(false)
    })
    // A router that has refused may reset what still comes
    socket.on('error', () => {})
    socket.on('close', () => finish(true))
    socket.write(bytes)
  })
