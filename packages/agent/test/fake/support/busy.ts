import type { EngineUnderTest } from './engines.ts'
import { ask, chatText, openRaw } from './http.ts'
import type { RawConnection } from './http.ts'
import { readyEngine } from './running.ts'
import type { RunningEngine } from './running.ts'
import { until } from './until.ts'

interface Busy {
  readonly running: RunningEngine
  readonly client: RawConnection
}

type Test = Parameters<typeof readyEngine>[0]

/** Whether no slot of the engine works. */
export async function isIdle(port: number): Promise<boolean> {
  const slots = JSON.parse((await ask(port, '/slots')).body) as { is_processing: boolean }[]
  return slots.every((slot) => !slot.is_processing)
}

/** Whether it still takes connections is all that tells that a signal has arrived. */
export async function refusesConnections(port: number): Promise<boolean> {
  return (await ask(port, '/health')).error !== undefined
}

/** An engine in the middle of an answer. */
export async function busyEngine(
  t: Test,
  engine: EngineUnderTest,
  settings: { readonly stream: boolean; readonly args?: readonly string[] },
): Promise<Busy> {
  const running = await readyEngine(t, engine, { args: settings.args ?? [] })
  const client = openRaw(running.port, chatText({ stream: settings.stream }))
  if (settings.stream) await until('the first token', () => client.text().includes('data:'))
  else await until('it works', async () => !(await isIdle(running.port)))
  return { running, client }
}

const ATTEMPTS = 8
const HANG_MS = 1500

/**
 * An engine that got SIGTERM in the middle of an answer. The real one takes a lock in its signal handler, and when the
 * signal finds it holding that lock it hangs for good: one time in five with a model as small as these. It answers
 * `/health` then as if nothing were wrong, and only a second signal ends it.
 */
export async function terminatedWhileBusy(...given: Parameters<typeof busyEngine>): Promise<Busy> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const busy = await busyEngine(...given)
    const { running, client } = busy
    running.kill('SIGTERM')
    const deadline = performance.now() + HANG_MS
    while (performance.now() < deadline) if (await refusesConnections(running.port)) return busy
    running.kill('SIGTERM')
    const { code } = await running.exited
    if (code !== 1) throw new Error(`a second signal to an engine that hangs ended it with ${code}`)
    client.socket.destroy()
  }
  throw new Error(`the engine hung at each of ${ATTEMPTS} signals`)
}
