import { Command, Option } from 'commander'
import { colorFlag, examples, logFormatFlag, type LogFlags, type OutputFlags } from '../flags.ts'
import type { Choose } from '../invocation.ts'

export interface ServeFlags extends LogFlags {
  readonly config?: string
  readonly configDir?: string
  readonly listen: string
  readonly stateDir?: string
  readonly demo?: true
  readonly watch?: true
  readonly insecure?: true
  readonly tlsCert?: string
  readonly tlsKey?: string
}

export const serveCommand = (choose: Choose): Command =>
  new Command('serve')
    .description('Run the router and the models of this machine until Ctrl-C.')
    .option('--config <file>', 'configuration file (default: see below)')
    .option('--config-dir <folder>', 'merge the *.yaml files of a folder, by name (behind --config)')
    .option('--listen <address>', 'where to listen: PORT, HOST:PORT or [IPV6]:PORT', '127.0.0.1:8080')
    .option('--state-dir <folder>', 'where a lock and run files lie (default: $LSWAP_STATE_DIR, else see below)')
    .addOption(
      new Option('--demo', 'serve two simulated models, without any engine').conflicts(['config', 'configDir']),
    )
    .option('--watch', 'read the configuration again when its files change')
    .option('--insecure', 'listen beyond this machine although no key protects it')
    .option('--tls-cert <file>', 'certificate in PEM, with its chain: answer by HTTPS')
    .option('--tls-key <file>', 'private key of the certificate, in PEM')
    .addOption(logFormatFlag())
    .addOption(colorFlag())
    .addHelpText(
      'after',
      `${examples([
        ['lswap serve --demo', 'try it without a model or an engine'],
        ['lswap serve --config lswap.yaml', 'serve the models of a file'],
        ['lswap serve --watch', 'and take over what is edited'],
        ['lswap serve --listen 9000', 'on another port of this machine'],
        ['lswap serve --listen 0.0.0.0:8080 --tls-cert c.pem --tls-key k.pem', 'for who has one of the apiKeys'],
        ['lswap serve --listen 0.0.0.0:8080 --insecure', 'for everybody on the network'],
      ])}\n
Without --config the first of these is read: $LSWAP_CONFIG, ./lswap.yaml, ./config.yaml,
$XDG_CONFIG_HOME/lswap/config.yaml.

What must outlive it lies in the state directory: $LSWAP_STATE_DIR, else $XDG_STATE_HOME/lswap, else
~/.local/state/lswap. Two on one machine need two.

SIGHUP, POST /api/reload and, with --watch, an edit read the configuration again: models that did not change go on.
Ctrl-C (or SIGTERM) lets running requests end within 10 seconds and stops every model;
a second Ctrl-C kills them now.`,
    )
    .action((flags: ServeFlags & OutputFlags) => {
      choose({
        output: { json: false, color: flags.color },
        interruptible: false,
        task: async (context) => {
          const { serve } = await import('./serve.ts')
          return serve(flags, context)
        },
      })
    })
