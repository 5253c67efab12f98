import { Command, InvalidArgumentError, Option } from 'commander'
import { examples, type OutputFlags, type RouterFlags, withRouterFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export interface LogsFlags extends RouterFlags {
  readonly follow?: true
  /** How many of the lines that are there already. */
  readonly tail: number
}

const count = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a number of lines.')
  return Number(text)
}

export const logsCommand = (choose: Choose): Command =>
  withRouterFlags(
    new Command('logs')
      .description('Show what the engines and the router printed.')
      .argument('[model]', 'id or alias of a model, or "router"; without it all')
      .option('-f, --follow', 'go on with what comes, until Ctrl-C')
      .addOption(new Option('--tail <lines>', 'how many of the latest lines of each').argParser(count).default(100)),
  )
    .addHelpText(
      'after',
      `${examples([
        ['lswap logs qwen', 'the last hundred lines of its engine'],
        ['lswap logs qwen -f --tail 0', 'only what comes from now on'],
        ['lswap logs router', 'of the router itself'],
        ['lswap logs -f --json', 'everything, one JSON object a line'],
      ])}\n
A mebibyte of each model's output is kept, over its starts. Who reads too slowly misses lines and is told
how many. Keys are replaced by ***. With --json each line is {"source","line"}.`,
    )
    .action((model: string | undefined, flags: LogsFlags & OutputFlags) => {
      choose({
        // Lines of JSON, printed as they come
        output: { json: false, color: flags.color },
        interruptible: true,
        task: async (context) => {
          const { logs } = await import('./logs.ts')
          return logs(model, flags, context)
        },
      })
    })
