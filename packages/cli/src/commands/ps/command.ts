import { Command } from 'commander'
import { examples, type OutputFlags, outputOf, type RouterFlags, withRouterFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export const psCommand = (choose: Choose): Command =>
  withRouterFlags(new Command('ps').description('Show the models that are loaded, load, or stop.'))
    .addHelpText(
      'after',
      `${examples([
        ['lswap ps', 'a table'],
        ['lswap ps --json', 'the same for programs'],
        ['lswap ps --url http://gpu-box:8080', 'of a router elsewhere'],
      ])}\n
Columns: MEM is what the engine takes of the devices, else of the machine, NEEDS what the model counts as
where memory decides what must go (declared, measured or estimated), INFLIGHT the requests it serves,
WAIT the requests that wait for it, IDLE how long nothing used it, UNTIL when it will be unloaded,
or "pinned".`,
    )
    .action((flags: RouterFlags & OutputFlags) => {
      choose({
        output: outputOf(flags),
        interruptible: true,
        task: async (context) => {
          const { ps } = await import('./ps.ts')
          return ps(flags, context)
        },
      })
    })
