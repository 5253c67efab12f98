import type { Io } from './io.ts'
import { parseCommandLine } from './commands/program.ts'

/** Runs one command line and returns its exit code; never ends the process itself. */
export const main = async (argv: readonly string[], io: Io): Promise<number> => {
  const parsed = await parseCommandLine(argv, io)
  if (parsed.type === 'ended') return parsed.exitCode
  // Only commander is loaded before this point: `--version`, `--help` and mistakes answer at once.
  const { carryOut } = await import('./commands/carry-out.ts')
  return carryOut(parsed.invocation, io)
}
