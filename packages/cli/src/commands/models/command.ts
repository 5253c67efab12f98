import { Command } from 'commander'
import { examples, type OutputFlags, outputOf, type RouterFlags, withRouterFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export const modelsCommand = (choose: Choose): Command =>
  withRouterFlags(new Command('models').description('Show which models can be asked for, and in which state they are.'))
    .addHelpText(
      'after',
      `${examples([
        ['lswap models', 'a table'],
        ['lswap models --json', 'the list of GET /v1/models, for programs'],
      ])}\n
Columns: LOAD is how long a load usually takes (- until one was measured), WAIT the requests that wait
for it, NEEDS its memory (declared, measured by an earlier run, or estimated from its file) where that
decides what must go, ALIASES the other names that it answers to.`,
    )
    .action((flags: RouterFlags & OutputFlags) => {
      choose({
        output: outputOf(flags),
        interruptible: true,
        task: async (context) => {
          const { models } = await import('./models.ts')
          return models(flags, context)
        },
      })
    })
