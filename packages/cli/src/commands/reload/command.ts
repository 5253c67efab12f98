import { Command } from 'commander'
import { examples, type OutputFlags, outputOf, type RouterFlags, withRouterFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export const reloadCommand = (choose: Choose): Command =>
  withRouterFlags(
    new Command('reload').description('Let the router read its configuration again. Models that did not change go on.'),
  )
    .addHelpText(
      'after',
      `${examples([
        ['lswap reload', 'says what changed, or every mistake and where it is'],
        ['lswap reload --json', 'the same for programs'],
      ])}\n
Ends with 2, and changes nothing, when the configuration has mistakes. \`lswap serve --watch\` needs no reload.`,
    )
    .action((flags: RouterFlags & OutputFlags) => {
      choose({
        output: outputOf(flags),
        interruptible: true,
        task: async (context) => {
          const { reload } = await import('./reload.ts')
          return reload(flags, context)
        },
      })
    })
