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
