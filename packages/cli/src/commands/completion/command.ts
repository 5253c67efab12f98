import { Argument, Command } from 'commander'
import { examples } from '../flags.ts'
import type { Choose } from '../invocation.ts'
import { specOf } from './spec.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

const PLAIN = { json: false, color: 'never' } as const

export const completionCommand = (choose: Choose): Command =>
  new Command('completion')
    .description('Print what makes a shell complete commands, options, and the names of the models.')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText(
      'after',
      `${examples([
        ['lswap completion bash', 'print it; `source <(lswap completion bash)` in ~/.bashrc loads it'],
        ['lswap completion zsh', 'save it as _lswap in a folder of $fpath'],
        ['lswap completion fish', 'save it as ~/.config/fish/completions/lswap.fish'],
      ])}\n
Names of models are asked of the router ($LSWAP_URL, $LSWAP_KEY_FILE or the options on the line) when they are
needed, for at most 200 milliseconds; a router that is away completes nothing.`,
    )
    .action((shell: Shell, _flags: unknown, command: Command) => {
      const spec = specOf(command.parent ?? command)
      choose({
        output: PLAIN,
        interruptible: true,
        task: async () => {
          const { completionScript } = await import('./script.ts')
          return { data: {}, text: completionScript(shell, spec), exitCode: 0 }
        },
      })
    })

/** What the scripts ask for names: not for people. */
export const completeCommand = (choose: Choose): Command =>
  new Command('__complete')
    .description('Print the names of the models, one a line.')
    .argument('[words...]', 'the command line so far')
    .allowUnknownOption()
    .addHelpText('after', examples([['lswap __complete lswap load', 'the names of the models']]))
    .action((words: string[]) => {
      choose({
        output: PLAIN,
        interruptible: true,
        task: async (context) => {
          const { modelNames } = await import('./model-names.ts')
          return { data: {}, text: await modelNames(words, context), exitCode: 0 }
        },
      })
    })
