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

export const reloadCommand = (choose: Choose): Command =>
  new Command('reload')
    .description('Let the router read its configuration again. Models that did not change go on.')
    .addOption(jsonFlag())
    .addOption(urlFlag())
    .addOption(keyFileFlag())
    .addOption(caFileFlag())
    .addOption(colorFlag())
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
        output: { json: flags.json === true, color: flags.color },
        interruptible: true,
        task: async (context) => {
          const { reload } = await import('./reload.ts')
          return reload(flags, context)
        },
      })
    })
