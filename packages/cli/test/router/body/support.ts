import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as http, type IncomingMessage } from 'node:http'
import { request as https } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { scratch } from '@lswap/core/test-support'
import type { SwapResult } from '@lswap/core'
import type { Test as Tap } from 'tap'
import { answerJson } from '../support/answers.ts'
import { until } from '../support/ask.ts'
import { model } from '../support/config.ts'
import type { FakeForward } from '../support/fake-agent.ts'
import { chatHead } from '../support/raw-client.ts'
import { startRig, type Rig, type RigOptions } from '../support/rig.ts'
import { identity, upload, type Uploader } from '../support/uploader.ts'
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts'

export const MIB = 1024 * 1024

export const bodyFor = (name: string, bytes: number): Buffer => {
  const start = `{"model":"${name}","x":"`
  return Buffer.from(`${start}${'0123456789abcdef'.repeat(bytes / 16)}`.slice(0, bytes - 2) + '"}')
}
export const LARGE = bodyFor('a', 24 * MIB)
export const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A load that goes on until the test ends it. */
export const gate = () => {
  let open: (() => void) | undefined
  const opened = new Promise<SwapResult | undefined>((resolve) => {
    open = () => resolve(undefined)
  })
  return { load: () => opened, open: () => open?.() }
}

export const answerHash = async (forward: FakeForward): Promise<void> =>
  answerJson({ sha: sha(await forward.body()) })(forward)

/** Waits for what takes a while: time goes on by itself. */
export const passing = async (clock: VirtualClock, what: string, holds: () => boolean): Promise<void> => {
  const steps = 4_000
  for (let step = 0; !holds(); step++) {
    if (step === steps) throw new Error(`still not true: ${what}`)
    await clock.advance(250)
    // What comes over sockets comes in real time
    await pause(2)
  }
}

/** A router with a virtual clock whose one engine takes what the test reads, and no more. */
export interface Stage {
  readonly clock: VirtualClock
  readonly rig: Rig
  readonly send: (body?: Buffer, length?: number, framing?: string) => Promise<Uploader>
  readonly ask: (method: 'GET' | 'POST', path: string) => Promise<string>
  /** What bodies take of the disk. */
  readonly inFiles: () => Promise<number>
  /** The client is known to have left, and nothing is kept for it. */
  readonly gone: () => Promise<void>
  /** The same, and no time passes until then. */
  readonly goneAtOnce: () => Promise<void>
}

export const start = async (t: Tap, secure: boolean, options: RigOptions = {}): Promise<Stage> => {
  const clock = createVirtualClock()
  // The virtual minute of a stall would be over before a piece has come
  const limits = { bodyStallMs: 1e9, answerStallMs: 1e9, ...options.limits }
  const rig = await startRig(t, {
    models: [model('a', { concurrencyLimit: 1 }), model('b')],
    ...options,
    limits,
    clock,
    ...(secure && { tls: identity }),
  })
  const send: Stage['send'] = async (body = LARGE, length = body.length, framing = `Content-Length: ${length}`) => {
    const client = await upload({ port: rig.port, secure, head: chatHead(framing), body })
    t.teardown(() => client.socket.destroy())
    return client
  }
  const asked: Stage['ask'] = async (method, path) => {
    const sent = (secure ? https : http)({
      host: '127.0.0.1',
      port: rig.port,
      ca: identity.cert,
      agent: false,
      method,
      path,
    })
    sent.end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return text(answer)
  }
  const inFiles = async (): Promise<number> =>
    Number(/lswap_body_bytes\{where="file"\} (\d+)/.exec(await asked('GET', '/metrics'))?.[1])
  const isKnown = (): boolean => rig.log.lines.some(({ fields }) => fields['status'] === 499)
  const gone = async (): Promise<void> => {
    await passing(clock, 'it is known', isKnown)
    t.same(rig.log.bugs(), [])
  }
  const goneAtOnce = (): Promise<void> => until('it is known', isKnown)
  return { clock, rig, send, ask: asked, inFiles, gone, goneAtOnce }
}

/** Files of bodies lie in a folder of the test. */
export const ownTemporaryFolder = (t: Tap): void => {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = scratch(t)
  t.teardown(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })
}
