import type { ForwardHead } from '@lswap/agent'
import type { Clock } from '../clock.ts'
import type { UpgradedSocket } from '../call.ts'

/** The client's end of a connection after 101, as the engine's side sees it. */
export interface ClientTunnel {
  /** False: no more until the response drains. */
  write(chunk: Buffer): boolean
  /** The engine sends no more. */
  end(): void
  /** The engine takes more again. */
  resume(): void
}

export interface TunnelEvents {
  /** False: no more until `resume()`. */
  onData(chunk: Buffer): boolean
  onEnd(): void
  /** Once. `isWhole`: both sides have ended, else the client went. */
  onOver(isWhole: boolean): void
}

export interface TunnelOptions {
  readonly upgraded: UpgradedSocket
  readonly clock: Clock
  /** How long a side may be silent once the other one has ended. */
  readonly halfClosedMs: number
}

/**
 * Answers with the engine's 101 and lets bytes through from then on. There is no limit on silence while both sides are there;
 * when one has ended, the other may say what it has yet to say.
 */
export const openTunnel = (
  { upgraded, clock, halfClosedMs }: TunnelOptions,
  head: { readonly of: ForwardHead; readonly own: readonly string[] },
  events: TunnelEvents,
): ClientTunnel => {
  const { socket, early } = upgraded
  let hasClientEnded = false
  let hasEngineEnded = false
  let isOver = false
  let heardAt = 0
  let cancel: (() => void) | undefined

  const over = (): void => {
    if (isOver) return
    isOver = true
    cancel?.()
    events.onOver(hasClientEnded && hasEngineEnded)
  }

  const look = (): void => {
    const left = heardAt + halfClosedMs - clock.now()
    if (left <= 0) socket.destroy()
    else cancel = clock.setTimer(clock.now() + left, look)
  }

  const sideEnded = (): void => {
    if (hasClientEnded && hasEngineEnded) return over()
    heardAt = clock.now()
    cancel ??= clock.setTimer(heardAt + halfClosedMs, look)
    return undefined
  }

  const pass = (chunk: Buffer): void => {
    if (isOver) return
    heardAt = clock.now()
    if (!events.onData(chunk)) socket.pause()
  }

  socket.on('end', () => {
    hasClientEnded = true
    events.onEnd()
    sideEnded()
  })
  socket.on('close', over)
  socket.write(headText(head.of, head.own), 'latin1')
  const first = early.take()
  socket.on('data', pass)
  socket.resume()
  if (first.length > 0) pass(first)

  return {
    write: (chunk) => {
      heardAt = clock.now()
      return socket.write(chunk)
    },
    end: () => {
      hasEngineEnded = true
      socket.end()
      sideEnded()
    },
    resume: () => {
      socket.resume()
    },
  }
}

/** As the engine wrote it, with ours behind. */
const headText = ({ status, reason, headers }: ForwardHead, own: readonly string[]): string => {
  const fields = [...headers, ...own]
  let text = `HTTP/1.1 ${status} ${reason}\r\n`
  for (let at = 0; at + 1 < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`
  return `${text}\r\n`
}
