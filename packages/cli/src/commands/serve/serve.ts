import { type Config, LswapError } from '@lswap/core'
import { write } from '../../print/write.ts'
import { VERSION } from '../../version.ts'
import type { OutputFlags } from '../flags.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import type { ServeFlags } from './command.ts'
import { DEMO_NOTICE, demoConfig } from './demo.ts'
import { fakeEnginePath } from './fake-engine.ts'
import { isLoopback } from './listen-address.ts'
import { locateConfig } from './locate-config.ts'
import { createLogger } from './logger.ts'
import { readSettings } from './read-settings.ts'
import { runService } from './service.ts'
import { startRouter } from './start.ts'
import { stateDir } from './state-dir.ts'

/** How long running requests may go on after the first Ctrl-C. */
const DRAIN_MS = 10_000
/** For what a stop needs besides the drain and the engines' own time limits. */
const STOP_SLACK_MS = 5_000

/** Serves until a signal ends it. */
export const serve = async (flags: ServeFlags & OutputFlags, context: TaskContext): Promise<Outcome> => {
  const { io, say } = context
  refuseOpenNetwork(flags)
  const source = flags.demo === true ? demoConfig(fakeEnginePath()) : await locateConfig(flags.config, io)
  const config = readSettings(source, { env: io.env, say })
  const logger = await createLogger({ io, format: flags.logFormat, color: flags.color, level: config.logLevel })
  const { log } = logger
  try {
    if (flags.demo === true) log.warn({}, DEMO_NOTICE)
    const exitCode = await runService({
      io,
      log,
      closeLimitMs: closeLimitMs(config),
      start: () =>
        startRouter({
          config,
          listen: flags.listen,
          stateDir: stateDir(io),
          log,
          onListening: (urls) => {
            for (const url of urls) void write(io.stdout, `lswap ${VERSION} listening on ${url}\n`).catch(() => {})
          },
        }),
    })
    return { data: { exitCode }, text: '', exitCode }
  } finally {
    await logger.end()
  }
}

/** Without keys whoever reaches the port may use the machine, so a person has to say that this is meant. */
const refuseOpenNetwork = ({ listen, insecure }: ServeFlags): void => {
  if (isLoopback(listen.host) || insecure === true) return
  throw new LswapError({
    code: 'invalid_config',
    message: `${listen.host} can be reached from other machines, and no API key protects this router.`,
    hint: 'listen on 127.0.0.1, or give --insecure if everybody who reaches it may use it',
  })
}

const closeLimitMs = ({ models }: Config): number =>
  DRAIN_MS + Math.max(0, ...models.map(({ unloadTimeoutMs }) => unloadTimeoutMs)) + STOP_SLACK_MS
