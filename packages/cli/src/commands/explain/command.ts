import { Command } from 'commander'
import { examples, limitFlag, type OutputFlags, outputOf, type RouterFlags, withRouterFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export interface ExplainFlags extends RouterFlags {
  /** At most so many, where no request is named. */
  readonly limit: number
}

export const explainCommand = (choose: Choose): Command =>
  withRouterFlags(
    new Command('explain')
      .description('Tell where the time of one request went, and what it waits for; without a number, list them.')
      .argument('[request]', 'its number: X-Lswap-Request-Id of the answer, or REQUEST of `lswap explain` alone')
      .addOption(limitFlag(20)),
  )
    .addHelpText(
      'after',
      `${examples([
        ['lswap explain', 'the requests that wait and run, and the last that ended'],
        ['lswap explain 17', 'its waits, swap and answer, which add up to its whole time'],
        ['lswap explain 17 --json', 'the same for programs'],
      ])}\n
The router remembers the last thousand requests that ended (metricsMaxInMemory). One that it does not know
ends with 1. Columns of the list: AT is when it came, TOOK how long it took so far, by this machine's clock.`,
    )
    .action((request: string | undefined, flags: ExplainFlags & OutputFlags, command: Command) => {
      if (request !== undefined && !/^\d{1,15}$/.test(request))
        command.error(`error: "${request}" is not the number of a request`)
      choose({
        output: outputOf(flags),
        interruptible: true,
        task: async (context) => {
          if (request === undefined) {
            const { listRequests } = await import('./list.ts')
            return listRequests(flags, context)
          }
          const { explain } = await import('./explain.ts')
          return explain(request, flags, context)
        },
      })
    })
