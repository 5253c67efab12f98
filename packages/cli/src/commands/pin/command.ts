import { Command } from 'commander'
import { examples, type OutputFlags, outputOf, type RouterFlags, withRouterFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

interface PinWords {
  readonly name: 'pin' | 'unpin'
  readonly description: string
  readonly examples: readonly (readonly [command: string, meaning: string])[]
}

const command = ({ name, description, examples: lines }: PinWords, choose: Choose): Command =>
  withRouterFlags(new Command(name).description(description).argument('<model>', 'id or alias of the model'))
    .addHelpText('after', examples(lines))
    .action((model: string, flags: RouterFlags & OutputFlags) => {
      choose({
        output: outputOf(flags),
        interruptible: true,
        task: async (context) => {
          const { pin } = await import('./pin.ts')
          return pin(model, { flags, pinned: name === 'pin' }, context)
        },
      })
    })

export const pinCommand = (choose: Choose): Command =>
  command(
    {
      name: 'pin',
      description: 'Keep a model loaded: it is neither evicted nor unloaded for being idle. Loads nothing itself.',
      examples: [
        ['lswap pin tiny', 'until `lswap unpin tiny`, `lswap unload tiny`, or the router ends'],
        ['lswap pin tiny --json', 'with the state it is in, for programs'],
      ],
    },
    choose,
  )

export const unpinCommand = (choose: Choose): Command =>
  command(
    {
      name: 'unpin',
      description: 'Let a pinned model be evicted and unloaded again.',
      examples: [['lswap unpin tiny', 'also one that the configuration pins']],
    },
    choose,
  )
