import { Command } from 'commander'
import { examples, limitFlag, type OutputFlags, outputOf, type RouterFlags, withRouterFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export interface QueueFlags extends RouterFlags {
  /** At most so many. */
  readonly limit: number
}

export const queueCommand = (choose: Choose): Command =>
  withRouterFlags(
    new Command('queue')
      .description('Show who waits, in the order in which they will be served, and why.')
      .addOption(limitFlag(100)),
  )
    .addHelpText(
      'after',
      `${examples([
        ['lswap queue', 'a table'],
        ['lswap queue --limit 10', 'only the next ten'],
        ['lswap queue --json', 'with hosts, models and statistics, for programs'],
      ])}\n
Columns: POS is the place in the order of dispatch, PRIO the request's priority, ESTIMATE how long until its
turn (most likely, and from – to), from what was measured on this router; - means that something it
takes never happened yet. \`lswap explain <request>\` tells more about one.`,
    )
    .action((flags: QueueFlags & OutputFlags) => {
      choose({
        output: outputOf(flags),
        interruptible: true,
        task: async (context) => {
          const { queue } = await import('./queue.ts')
          return queue(flags, context)
        },
      })
    })
