import { FAKE_ENTRY } from './engines.ts'
import type { EngineUnderTest } from './engines.ts'
import { readyEngine, startEngine } from './running.ts'
import type { RunningEngine } from './running.ts'

type Test = Parameters<typeof startEngine>[0]
type Settings = Omit<NonNullable<Parameters<typeof startEngine>[2]>, 'args'>

const PLAIN: EngineUnderTest = {
  name: 'the simulated engine',
  program: process.execPath,
  args: [FAKE_ENTRY, '-m', 'model.gguf'],
  options: {},
}

/** Starts the simulated engine with switches as one would type them. */
export const startFake = (t: Test, switches = '', settings: Settings = {}): Promise<RunningEngine> =>
  startEngine(t, PLAIN, { ...settings, args: words(switches) })

export const readyFake = (t: Test, switches = '', settings: Settings = {}): Promise<RunningEngine> =>
  readyEngine(t, PLAIN, { ...settings, args: words(switches) })

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')
