import { Command } from 'commander'
import { colorFlag, examples, jsonFlag, outputOf, type OutputFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export interface InitFlags {
  readonly force?: true
}

export const initCommand = (choose: Choose): Command =>
  new Command('init')
    .description('Write a configuration for the models that are found on this machine.')
    .argument('[file]', 'where to write it; - is stdout', 'lswap.yaml')
    .option('--force', 'replace the file if it exists')
    .addOption(jsonFlag())
    .addOption(colorFlag())
    .addHelpText(
      'after',
      `${examples([
        ['lswap init', 'write ./lswap.yaml'],
        ['lswap init -', 'only show it'],
        ['lswap init ~/.config/lswap/config.yaml --force', 'replace the one of this user'],
      ])}\n
Looks for llama-server on PATH and for GGUF files in ./models, ~/models, the llama.cpp and Hugging Face
caches, and ~/.lmstudio/models. \`lswap serve\` without a configuration serves the same.`,
    )
    .action((file: string, flags: InitFlags & OutputFlags) => {
      choose({
        output: outputOf(flags),
        interruptible: false,
        task: async (context) => {
          const { init } = await import('./init.ts')
          return init(file, flags, context)
        },
      })
    })
