import { Command, Option } from 'commander'
import { examples, type OutputFlags, outputOf, type RouterFlags, seconds, withRouterFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export interface UnloadFlags extends RouterFlags {
  readonly all?: true
  /** False: only ask for it. */
  readonly wait: boolean
  /** Milliseconds that running requests may go on. */
  readonly timeout?: number
  readonly force?: true
  readonly ignoreNotFound?: true
}

export const unloadCommand = (choose: Choose): Command =>
  withRouterFlags(
    new Command('unload')
      .description('Unload models and wait until their processes are gone.')
      .argument('[models...]', 'ids or aliases of the models')
      .option('--all', 'unload every model; pinned ones stay unless --force is given')
      .option('--no-wait', 'ask for it and return at once')
      .addOption(
        new Option('--timeout <seconds>', 'how long running requests may go on before they are cut').argParser(seconds),
      )
      .addOption(new Option('--force', 'cut running requests now').conflicts('timeout'))
      .option('--ignore-not-found', 'a model that is not configured is no error'),
  )
    .addHelpText(
      'after',
      examples([
        ['lswap unload tiny', 'lets running requests end, then stops tiny'],
        ['lswap unload tiny big --timeout 5', 'cuts them after five seconds'],
        ['lswap unload --all --force', 'frees the whole machine now'],
      ]),
    )
    .action((models: string[], flags: UnloadFlags & OutputFlags, command: Command) => {
      if (flags.all === true && models.length > 0) command.error('error: give model names or --all, not both')
      if (flags.all !== true && models.length === 0) command.error("error: name the models to unload, or give '--all'")
      choose({
        output: outputOf(flags),
        interruptible: true,
        task: async (context) => {
          const { unload } = await import('./unload.ts')
          return unload(models, flags, context)
        },
      })
    })
