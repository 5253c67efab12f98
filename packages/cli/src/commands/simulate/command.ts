import { Command, Option } from 'commander'
import { colorFlag, examples, jsonFlag, outputOf, type OutputFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

/** The schedulers, spelled out: the core is loaded only by commands that run. A test holds them to the core's list. */
export const POLICIES = ['serial', 'fifo'] as const

export interface SimulateFlags {
  readonly policy?: (typeof POLICIES)[number]
  readonly compare?: true
  readonly config?: string
}

export const simulateCommand = (choose: Choose): Command =>
  new Command('simulate')
    .description('Play a trace of requests against a scheduler on virtual time.')
    .argument('<trace>', 'file with one JSON object a line')
    .addOption(
      new Option('--policy <name>', 'the scheduler (default: that of --config, else serial)').choices(POLICIES),
    )
    .addOption(new Option('--compare', 'play it against every scheduler').conflicts('policy'))
    .option('--config <file>', 'take models, limits and routing from this configuration')
    .addOption(jsonFlag())
    .addOption(colorFlag())
    .addHelpText(
      'after',
      `${examples([
        ['lswap simulate trace.ndjson', 'how long would these requests wait?'],
        ['lswap simulate trace.ndjson --compare', 'under which scheduler the least?'],
        ['lswap simulate trace.ndjson --config lswap.yaml', 'with the models and limits of a file'],
      ])}\n
The first line says what the trace is made from:
{"kind": "abab", "seed": 1, "params": {"models": 2, "requests": 100, "gapMs": 500, "jitter": 0.5,
"tokens": 200}}, or {"kind": "recorded"} with a line for each request: {"at": 1500, "model": "a", "priority": 0,
"caller": "me", "tokens": 200}, \`at\` in milliseconds. "fleet" in the first line says how fast the
host is: {"loadMs": 8000, "stopMs": 500, "msPerToken": 20, "slots": 4}. Without --config every
model may be evicted for every other one, and no limit refuses or cuts a request.

Columns: WASTED loads served nobody, IDLE is how long hosts did nothing, FAIR is Jain's index over
callers (1: all fare alike).`,
    )
    .action((file: string, flags: SimulateFlags & OutputFlags) => {
      choose({
        output: outputOf(flags),
        interruptible: false,
        task: async (context) => {
          const { simulateTrace } = await import('./simulate.ts')
          return simulateTrace(file, flags, context)
        },
      })
    })
