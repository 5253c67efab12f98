import { Command } from 'commander'
import { examples, type OutputFlags, outputOf, type RouterFlags, withRouterFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export interface DoctorFlags extends RouterFlags {
  readonly config?: string
  readonly configDir?: string
}

export const doctorCommand = (choose: Choose): Command =>
  withRouterFlags(
    new Command('doctor')
      .description('Tell what is wrong on this machine, why it matters, and what to do. Changes nothing.')
      .option('--config <file>', 'configuration to look at (default: as `lswap serve` finds it)')
      .option('--config-dir <folder>', 'merge the *.yaml files of a folder, by name (behind the file)'),
  )
    .addHelpText(
      'after',
      `${examples([
        ['lswap doctor', 'look at everything'],
        ['lswap doctor --config lswap.yaml', 'with the engines, ports and keys of a file'],
        ['lswap doctor --json', 'for programs and bug reports'],
      ])}\n
Ends with 1 when there is a problem, with 0 when there are warnings at most. Each look takes at most five
seconds, whatever hangs.`,
    )
    .action((flags: DoctorFlags & OutputFlags) => {
      choose({
        output: outputOf(flags),
        interruptible: true,
        task: async (context) => {
          const { doctor } = await import('./doctor.ts')
          return doctor(flags, context)
        },
      })
    })
