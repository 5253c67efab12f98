import type { Server } from 'node:http'
import type { Engine } from './engine.ts'
import { hasRouterParent } from './router-report.ts'

/** The real engine looks 3 to 4 ms after its standard input ended. */
const GUARD_MS = 3

interface Stopping {
  readonly engine: Engine
  readonly server: Server
  /** Aborts the engine's `halt`. */
  readonly halt: () => void
}

/** Ends on SIGTERM and SIGINT like the real engine: it waits for the requests in flight; a second signal ends it at once. */
export function watchSignals({ engine, server, halt }: Stopping): void {
  const { options } = engine
  let ending = false
  const onSignal = (signal: 'SIGTERM' | 'SIGINT'): void => {
    engine.journal({ event: 'signal', signal })
    if (signal === 'SIGTERM' && options.ignoreSigterm === true) return
    if (ending) {
      engine.log('Received second interrupt, terminating immediately.')
      engine.exit(1, 'second signal')
    }
    if (!engine.ready) dieOf(signal)
    ending = true
    engine.log('srv    operator(): cleaning up before exit...')
    halt()
    server.close()
    server.closeIdleConnections()
    whenIdle(engine, () => {
      setTimeout(() => engine.exit(0, signal), options.termMs ?? 0)
    })
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/** While it loads the real engine handles no signal yet. */
function dieOf(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

function whenIdle(engine: Engine, then: () => void): void {
  if (engine.inFlight === 0) return then()
  const timer = setInterval(() => {
    if (engine.inFlight > 0) return
    clearInterval(timer)
    then()
  }, 1)
}

/** With `LLAMA_SERVER_ROUTER_PORT` in the environment the engine follows its parent's end; the real one watches only once loaded. */
export function watchStdin(engine: Engine): void {
  if (!hasRouterParent()) return
  const ended = (): void => {
    setTimeout(() => engine.exit(1, 'stdin closed'), GUARD_MS)
  }
  process.stdin.once('end', ended)
  process.stdin.once('error', ended)
  process.stdin.resume()
}
