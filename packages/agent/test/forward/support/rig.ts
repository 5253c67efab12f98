import type { Failure } from '@lswap/core'
import type { Test } from 'tap'
import { createUpstream } from '../../../src/forward/upstream.ts'
import type { Upstream, UpstreamOptions } from '../../../src/forward/upstream.ts'
import { startEngine } from './engine.ts'
import type { Engine, Wire } from './engine.ts'
import { createRecorder } from './recorder.ts'
import { get, OK } from './requests.ts'

export const SHUT: Failure = { code: 'unloaded', message: 'the model was unloaded' }

export interface Rig {
  readonly engine: Engine
  readonly upstream: Upstream
}

/** A scripted engine and the upstream to it. Connections idle longer than any wait of a test, unless it says otherwise. */
export const rig = async (t: Test, options: Partial<UpstreamOptions> & { reads?: boolean } = {}): Promise<Rig> => {
  const { reads = true, ...rest } = options
  const engine = await startEngine(t, { reads })
  const upstream = createUpstream({ host: '127.0.0.1', port: engine.port, idleMs: 60_000, ...rest })
  t.teardown(() => upstream.close(SHUT))
  return { engine, upstream }
}

/** Leaves one idle connection that has carried an answer. */
export const warm = async ({ engine, upstream }: Rig): Promise<Wire> => {
  const recorder = createRecorder()
  upstream.forward(get('/warm'), recorder)
  const wire = await engine.wire(1)
  await wire.request()
  wire.send(OK)
  await recorder.over()
  return wire
}

/** A whole exchange beside the one under test: when it is over, the event loop has gone round many times. */
export const otherExchange = async ({ engine, upstream }: Rig): Promise<void> => {
  const before = engine.wires.length
  const recorder = createRecorder()
  upstream.forward(get('/other'), recorder)
  const wire = await engine.wire(before + 1)
  wire.socket.resume()
  await wire.request()
  wire.send('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok')
  await recorder.over()
}
