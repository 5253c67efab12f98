import { Command, CommanderError } from 'commander'
import type { Io } from '../io.ts'
import { VERSION } from '../version.ts'
import { examples } from './flags.ts'
import type { Choose, Invocation } from './invocation.ts'
import { agentCommand } from './agent/command.ts'
import { checkCommand } from './check/command.ts'
import { completeCommand, completionCommand } from './completion/command.ts'
import { doctorCommand } from './doctor/command.ts'
import { explainCommand } from './explain/command.ts'
import { initCommand } from './init/command.ts'
import { loadCommand } from './load/command.ts'
import { logsCommand } from './logs/command.ts'
import { modelsCommand } from './models/command.ts'
import { pinCommand, unpinCommand } from './pin/command.ts'
import { psCommand } from './ps/command.ts'
import { queueCommand } from './queue/command.ts'
import { reloadCommand } from './reload/command.ts'
import { serveCommand } from './serve/command.ts'
import { simulateCommand } from './simulate/command.ts'
import { topCommand } from './top/command.ts'
import { unloadCommand } from './unload/command.ts'

/** A command line that was a task, or that is over: help and version were printed, or a mistake was named. */
export type ParsedCommandLine =
  | { readonly type: 'run'; readonly invocation: Invocation }
  | { readonly type: 'ended'; readonly exitCode: number }

const USAGE_EXIT_CODE = 2

/** In the order of the help. */
const COMMANDS: readonly ((choose: Choose) => Command)[] = [
  serveCommand,
  topCommand,
  agentCommand,
  psCommand,
  modelsCommand,
  queueCommand,
  explainCommand,
  loadCommand,
  unloadCommand,
  pinCommand,
  unpinCommand,
  reloadCommand,
  logsCommand,
  doctorCommand,
  completionCommand,
  simulateCommand,
  checkCommand,
  initCommand,
]

export const parseCommandLine = async (argv: readonly string[], io: Io): Promise<ParsedCommandLine> => {
  let chosen: Invocation | undefined
  const program = new Command('lswap')
    .description('One address for all your local models: swaps llama-server processes on demand.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText(
      'after',
      `${examples([
        ['lswap serve --demo', 'try it with two simulated models'],
        ['lswap serve --config lswap.yaml', 'serve the models of a file'],
        ['lswap ps', 'show what is loaded'],
      ])}\n\nExit codes: 0 done, 1 error, 2 usage or bad config, 3 model unknown, 4 auth,\n5 cannot reach or bind, 6 refused, 7 timed out, 130 interrupted.`,
    )
  const choose = (invocation: Invocation): void => {
    chosen = invocation
  }
  for (const command of COMMANDS) program.addCommand(command(choose))
  program.addCommand(completeCommand(choose), { hidden: true })
  for (const command of [program, ...program.commands]) {
    command.exitOverride().showHelpAfterError(`hint: try \`${nameOf(command)} --help\``)
    command.configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
  }
  try {
    await program.parseAsync(unknownOf(argv, program) ?? [...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Help and version end with 0, every mistake with 1, which here means something else
    return { type: 'ended', exitCode: error.exitCode === 0 ? 0 : USAGE_EXIT_CODE }
  }
  return chosen ? { type: 'run', invocation: chosen } : { type: 'ended', exitCode: USAGE_EXIT_CODE }
}

/**
 * The unknown command that help is asked for, alone; undefined: there is none. Commander answers `lswap nope --help` with the
 * help of lswap and 0, as if there were such a command.
 */
const unknownOf = ([first, second]: readonly string[], program: Command): string[] | undefined => {
  const name = first === 'help' ? second : first
  const isKnown = name === undefined || name.startsWith('-') || program.commands.some((one) => one.name() === name)
  return isKnown ? undefined : [name]
}

const nameOf = (command: Command): string =>
  command.parent ? `${command.parent.name()} ${command.name()}` : command.name()
