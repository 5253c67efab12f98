import { Command } from 'commander'
import { colorFlag, examples, logFormatFlag, type LogFlags, type OutputFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export interface AgentFlags extends LogFlags {
  readonly config?: string
  readonly configDir?: string
  readonly listen: string
  readonly tokenFile?: string
  readonly stateDir?: string
  readonly insecure?: true
  readonly tlsCert?: string
  readonly tlsKey?: string
}

export const agentCommand = (choose: Choose): Command =>
  new Command('agent')
    .description('Run the models of this machine for a router on another one, until Ctrl-C.')
    .option('--config <file>', 'configuration file, of which the models count (default: as for serve)')
    .option('--config-dir <folder>', 'merge the *.yaml files of a folder, by name (behind --config)')
    .option('--listen <address>', 'where to listen: PORT, HOST:PORT or [IPV6]:PORT', '127.0.0.1:8078')
    .option(
      '--token-file <file>',
      'the token that a router must send (default: $LSWAP_AGENT_TOKEN_FILE, else see below)',
    )
    .option('--state-dir <folder>', 'where token and run files lie (default: $LSWAP_STATE_DIR, else see below)')
    .option('--insecure', 'listen beyond this machine without TLS')
    .option('--tls-cert <file>', 'certificate in PEM, with its chain: answer by HTTPS')
    .option('--tls-key <file>', 'private key of the certificate, in PEM')
    .addOption(logFormatFlag())
    .addOption(colorFlag())
    .addHelpText(
      'after',
      `${examples([
        ['lswap agent --config models.yaml', 'for a router on this machine'],
        ['lswap agent --listen 0.0.0.0:8078 --tls-cert c.pem --tls-key k.pem', 'for one on another machine'],
      ])}\n
The router names it under agents, with a copy of its token. Without --token-file the token is made at the first
start and lies in agent.token in the state directory: $LSWAP_STATE_DIR, else $XDG_STATE_HOME/lswap, else
~/.local/state/lswap.

SIGHUP reads the configuration again. Ctrl-C (or SIGTERM) lets running requests end within 10 seconds and stops
every model; a second Ctrl-C kills them now.`,
    )
    .action((flags: AgentFlags & OutputFlags) => {
      choose({
        output: { json: false, color: flags.color },
        interruptible: false,
        task: async (context) => {
          const { agent } = await import('./agent.ts')
          return agent(flags, context)
        },
      })
    })
