import { describeDecisions, type Config } from '@lswap/core'
import { write } from '../../print/write.ts'
import { DEFAULT_ROUTER_LIMITS } from '../../router/limits.ts'
import { parseListenAddress } from '../../router/listen-address.ts'
import { VERSION } from '../../version.ts'
import type { OutputFlags } from '../flags.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import type { ServeFlags } from './command.ts'
import { DEMO_NOTICE, demoConfig } from './demo.ts'
import { fakeEnginePath } from './fake-engine.ts'
import { configOrFound } from './found-config.ts'
import { createLogger } from './logger.ts'
import { readSettings } from './read-settings.ts'
import { readTls } from './read-tls.ts'
import { runService } from './service.ts'
import { startRouter } from './start.ts'

/** For what a stop needs besides the drain and the engines' own time limits; the router bounds each step itself. */
const STOP_SLACK_MS = 10_000

/** Serves until a signal ends it. */
export const serve = async (flags: ServeFlags & OutputFlags, context: TaskContext): Promise<Outcome> => {
  const { io, say } = context
  const listen = parseListenAddress(flags.listen)
  const source = flags.demo === true ? demoConfig(fakeEnginePath()) : await configOrFound(flags, context)
  const tls = await readTls(flags, io.cwd)
  const config = readSettings(source, { env: io.env, cwd: io.cwd, say })
  const logger = await createLogger({ io, format: flags.logFormat, color: flags.color, level: config.logLevel })
  const { log } = logger
  try {
    if (flags.demo === true) log.warn({}, DEMO_NOTICE)
    log.info(
      { scheduler: config.policy.use, swapper: config.swapper, picker: config.picker.use },
      describeDecisions(config),
    )
    const exitCode = await runService({
      io,
      log,
      closeLimitMs: closeLimitMs(config),
      start: () =>
        startRouter({
          config,
          listen,
          insecure: flags.insecure === true,
          tls,
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

const closeLimitMs = ({ models }: Config): number =>
  DEFAULT_ROUTER_LIMITS.shutdownDrainMs +
  Math.max(0, ...models.map(({ unloadTimeoutMs }) => unloadTimeoutMs)) +
  STOP_SLACK_MS
