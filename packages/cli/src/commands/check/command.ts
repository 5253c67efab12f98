import { Command } from 'commander'
import { colorFlag, examples, jsonFlag, outputOf, type OutputFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export interface CheckFlags {
  readonly config?: string
  readonly configDir?: string
  /** Dials the agents, too. */
  readonly agents?: boolean
}

export const checkCommand = (choose: Choose): Command =>
  new Command('check')
    .description('Check a configuration: every mistake with its place; nothing is started.')
    .argument('[file]', 'configuration file (default: as `lswap serve` finds it)')
    .option('--config <file>', 'the same as the argument')
    .option('--config-dir <folder>', 'merge the *.yaml files of a folder, by name (behind the file)')
    .option('--agents', 'dial the agents that it names, and tell what is wrong with each')
    .addOption(jsonFlag())
    .addOption(colorFlag())
    .addHelpText(
      'after',
      `${examples([
        ['lswap check', 'the configuration that `lswap serve` would use'],
        ['lswap check lswap.yaml', 'a file'],
        ['lswap check --config-dir /etc/lswap', 'a folder of files'],
        ['lswap check --agents', 'the agents too: reach, token, TLS, protocol, models that none has'],
        ['lswap check lswap.yaml --json', 'for editors, with the range of each mistake'],
      ])}\n
Lines are file:line:column: severity: path: what is wrong (did you mean …?). Ends with 2 when there are
errors, with 0 when there are warnings only; with --agents it ends with 1 when one of them can not be used or
a model is nowhere. Agents are only asked: no router loses one to it.`,
    )
    .action((file: string | undefined, flags: CheckFlags & OutputFlags) => {
      const { config = file } = flags
      choose({
        output: outputOf(flags),
        interruptible: flags.agents === true,
        task: async (context) => {
          const { checkConfig } = await import('./check.ts')
          return checkConfig({ ...flags, ...(config === undefined ? {} : { config }) }, context)
        },
      })
    })
