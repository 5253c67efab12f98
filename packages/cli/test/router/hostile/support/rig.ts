import type { ModelConfig } from '@lswap/core'
import { model } from '../../support/config.ts'
import type { RouterLimits } from '../../../../src/router/limits.ts'
import { startRig, type Rig } from '../../support/rig.ts'
import { forwardTo } from '../../exactness/support/ways.ts'
import { chat } from '../../support/raw-client.ts'
import { tlsIdentity } from '../../../fixtures.ts'
import { startStrictEngine, type StrictEngine } from './engine.ts'
import { sendRaw, type Seen } from './send.ts'

interface Test {
  teardown(end: () => void | Promise<void>): void
}

export interface HostileRig extends Rig {
  readonly engine: StrictEngine
  /** {@link sendRaw} to this router, as its clients reach it. */
  readonly send: (bytes: Buffer, wait: 'ended' | 'answered' | number) => Promise<Seen>
  /** Somebody who does nothing wrong is answered. */
  readonly isServing: () => Promise<boolean>
  /** Resolves when nothing is held any more: no body, no file, no call. */
  readonly isQuiet: () => Promise<void>
}

export interface HostileOptions {
  readonly limits?: Partial<RouterLimits>
  readonly models?: readonly ModelConfig[]
  /** Clients come over TLS. */
  readonly secure?: boolean
}

const GOOD = Buffer.from(chat('{"model":"a","prompt":"well"}'))
const METRICS = Buffer.from('GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')

/** The real router and forwarder before an engine that takes nothing that is not right to the letter. */
export const startHostileRig = async (
  t: Test,
  { limits = {}, models = [model('a')], secure = false }: HostileOptions = {},
): Promise<HostileRig> => {
  const engine = await startStrictEngine(t)
  const forward = await forwardTo(t, engine.port)
  const rig = await startRig(t, {
    models,
    limits,
    agent: (fake) => ({ ...fake, forward }),
    ...(secure && { tls: tlsIdentity() }),
  })
  const send: HostileRig['send'] = (bytes, wait) => sendRaw(rig.port, bytes, wait, secure)
  const held = async (): Promise<readonly number[]> => {
    const { text } = await send(METRICS, 'ended')
    const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
    const [memory, disk, calls] = [
      value('lswap_body_bytes\\{where="memory"\\}'),
      value('lswap_body_bytes\\{where="file"\\}'),
      value('lswap_open_requests'),
    ]
    // The page itself is asked for by a request
    return [memory, disk, calls - 1]
  }
  return {
    ...rig,
    engine,
    send,
    isServing: async () => (await send(GOOD, 'answered')).status === 200,
    isQuiet: async () => {
      const end = performance.now() + 60_000
      for (;;) {
        const last = await held()
        if (last.every((value) => value === 0)) return
        if (performance.now() > end) throw new Error(`something is held: ${last.join(', ')}`)
      }
    },
  }
}
