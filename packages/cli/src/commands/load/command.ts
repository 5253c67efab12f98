import { Command, Option } from 'commander'
import { examples, type OutputFlags, outputOf, type RouterFlags, seconds, withRouterFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export interface LoadFlags extends RouterFlags {
  /** False: only ask for it. */
  readonly wait: boolean
  /** Milliseconds to wait. */
  readonly timeout?: number
}

export const loadCommand = (choose: Choose): Command =>
  withRouterFlags(
    new Command('load')
      .description('Load a model and wait until it is ready.')
      .argument('<model>', 'id or alias of the model')
      .option('--no-wait', 'ask for it and return at once')
      .addOption(
        new Option('--timeout <seconds>', 'wait this long, then exit with 7; the load goes on').argParser(seconds),
      ),
  )
    .addHelpText(
      'after',
      examples([
        ['lswap load tiny', 'returns when tiny is ready'],
        ['lswap load big --timeout 60', 'waits a minute at most'],
        ['lswap load big --no-wait', 'only starts it'],
      ]),
    )
    .action((model: string, flags: LoadFlags & OutputFlags) => {
      choose({
        output: outputOf(flags),
        interruptible: true,
        task: async (context) => {
          const { load } = await import('./load.ts')
          return load(model, flags, context)
        },
      })
    })
