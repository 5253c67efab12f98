import { Command, InvalidArgumentError, Option } from 'commander'
import { examples, type OutputFlags, type RouterFlags, seconds, withRouterFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export interface TopFlags extends RouterFlags {
  readonly agent?: readonly string[]
  readonly tokenFile?: readonly string[]
  readonly readonly?: true
  readonly once?: true
  readonly plain?: true
  /** Between two documents of JSON, in milliseconds. */
  readonly interval: number
}

const LEAST_INTERVAL_MS = 100

const interval = (text: string): number => {
  const ms = seconds(text)
  if (ms < LEAST_INTERVAL_MS) throw new InvalidArgumentError(`Give ${LEAST_INTERVAL_MS / 1000} seconds or more.`)
  return ms
}

export const topCommand = (choose: Choose): Command =>
  withRouterFlags(
    new Command('top')
      .description('Watch models, queue and machines live, see why requests wait, load and unload.')
      .addOption(
        new Option('--agent <url...>', 'look at and drive these agents, without a router').conflicts([
          'url',
          'keyFile',
        ]),
      )
      .option(
        '--token-file <file...>',
        'token of the agents, one for all or one for each (default: $LSWAP_AGENT_TOKEN_FILE, else that of this machine)',
      )
      .option('--readonly', 'no key changes anything')
      .option('--once', 'print what there is now, as text, and end')
      .option('--plain', 'lines of text without escapes, one for each thing that happens')
      .addOption(
        new Option('--interval <seconds>', 'between two documents with --json').argParser(interval).default(2_000, '2'),
      ),
  )
    .addHelpText(
      'after',
      `${examples([
        ['lswap top', 'the dashboard; ? in it shows the keys'],
        ['lswap top --readonly', 'for a screen on a wall'],
        ['lswap top --agent gpu-1:8078 gpu-2:8078 --token-file t', 'two agents, with no router in between'],
        ['lswap top --once', 'all of it as text, once'],
        ['lswap top --json --interval 2', 'a JSON document every two seconds, one a line'],
        ['lswap top --json --once', 'one JSON document'],
      ])}\n
Without a terminal, in CI and with TERM=dumb it is --plain. Ctrl-C ends it.`,
    )
    .action((flags: TopFlags & OutputFlags) => {
      choose({
        // Printed as it comes
        output: { json: false, color: flags.color },
        interruptible: false,
        task: async (context) => {
          const { top } = await import('./top.ts')
          return top(flags, context)
        },
      })
    })
