import { Command } from 'commander'
import {
  caFileFlag,
  colorFlag,
  examples,
  jsonFlag,
  keyFileFlag,
  type OutputFlags,
  type RouterFlags,
  urlFlag,
} from '../flags.ts'
import type { Choose } from '../invocation.ts'

export const explainCommand = (choose: Choose): Command =>
  new Command('explain')
    .description('Tell where the time of one request went, and what it waits for.')
    .argument('<request>', 'its number: X-Lswap-Request-Id of the answer, or REQUEST of `lswap queue`')
    .addOption(jsonFlag())
    .addOption(urlFlag())
    .addOption(keyFileFlag())
    .addOption(caFileFlag())
    .addOption(colorFlag())
    .addHelpText(
      'after',
      `${examples([
        ['lswap explain 17', 'its waits, swap and answer, which add up to its whole time'],
        ['lswap explain 17 --json', 'the same for programs'],
      ])}\n
The router remembers the last thousand requests that ended. One that it does not know ends with 1.`,
    )
    .action((request: string, flags: RouterFlags & OutputFlags, command: Command) => {
      if (!/^\d{1,15}$/.test(request)) command.error(`error: "${request}" is not the number of a request`)
      choose({
        output: { json: flags.json === true, color: flags.color },
        interruptible: true,
        task: async (context) => {
          const { explain } = await import('./explain.ts')
          return explain(request, flags, context)
        },
      })
    })
