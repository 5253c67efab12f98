import { createRedaction, describeDecisions, type Config } from '@lswap/core'
import { resolve } from 'node:path'
import { ownHeap } from '../../heap/heap.ts'
import { write } from '../../print/write.ts'
import { systemClock } from '../../router/clock.ts'
import { DEFAULT_ROUTER_LIMITS } from '../../router/limits.ts'
import { parseListenAddress } from '../../router/listen-address.ts'
import type { Log } from '../../router/log.ts'
import { VERSION } from '../../version.ts'
import type { OutputFlags } from '../flags.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import { batchedOutput } from './batched-output.ts'
import type { ServeFlags } from './command.ts'
import { openSource } from './config-source.ts'
import { DEMO_NOTICE } from './demo.ts'
import { createEngineOutput } from './engine-output.ts'
import type { ConfigText } from './locate-config.ts'
import { createLogger } from './logger.ts'
import { readSettings } from './read-settings.ts'
import { readTls } from './read-tls.ts'
import { runService } from './service.ts'
import { startRouter } from './start.ts'
import { terminalOutput } from './terminal-output.ts'
import { watchedReader } from './watched-reader.ts'

/** For what a stop needs besides the drain and the engines' own time limits; the router bounds each step itself. */
const STOP_SLACK_MS = 10_000

/** Serves until a signal ends it. */
export const serve = async (flags: ServeFlags & OutputFlags, context: TaskContext): Promise<Outcome> => {
  const { io, say } = context
  const clock = systemClock()
  const heap = ownHeap(clock)
  const listen = parseListenAddress(flags.listen)
  const source = await openSource(flags, context)
  const tls = await readTls(flags, io.cwd)
  const config = readSettings(source.first, { env: io.env, cwd: io.cwd, say })
  const redaction = createRedaction()
  redaction.know(config)
  const { redact } = redaction
  const logger = await createLogger({ io, format: flags.logFormat, color: flags.color, config, redact })
  const { log, ownLog } = logger
  const engines = createEngineOutput({
    output: io.stdout.isTTY === true ? terminalOutput(1) : batchedOutput(io.stdout),
    isJson: flags.logFormat === 'json',
    onLoss: (lines) => log.warn({ lines }, 'lines of engines were lost on stdout: nobody read them'),
  })
  try {
    if (flags.demo === true) log.warn({}, DEMO_NOTICE)
    if (source.files !== undefined)
      log.info({ files: pathsOf(source.first, io.cwd) }, `serving ${nameOf(source.first, config)}`)
    const tellDecisions = teller(log)
    tellDecisions(config)
    let limitMs = closeLimitMs(config)
    const reader = watchedReader(source, io)
    const exitCode = await runService({
      io,
      log,
      closeLimitMs: () => limitMs,
      onHangup: (router) => void router.reload('SIGHUP'),
      start: async () => {
        const router = await startRouter({
          clock,
          heap,
          config,
          listen,
          insecure: flags.insecure === true,
          tls,
          stateDir: flags.stateDir === undefined ? undefined : resolve(io.cwd, flags.stateDir),
          log,
          redaction,
          readConfig: () => reader.read(),
          onConfig: (next) => {
            logger.configure(next)
            limitMs = Math.max(limitMs, closeLimitMs(next))
            tellDecisions(next)
          },
          ownLog,
          engines,
          onListening: (urls) => {
            for (const url of urls) void write(io.stdout, `lswap ${VERSION} listening on ${url}\n`).catch(() => {})
          },
        })
        if (flags.watch === true) reader.watch(() => router.reload('the file changed'), log)
        return router
      },
    })
    reader.stop()
    return { data: { exitCode }, text: '', exitCode }
  } finally {
    await engines.end()
    await logger.end()
  }
}

const pathsOf = ({ files }: ConfigText, cwd: string): readonly string[] => files.map(({ file }) => resolve(cwd, file))

/** Which of the files that may lie about it is. */
const nameOf = ({ name }: ConfigText, { models }: Config): string =>
  `${name}: ${models.length === 1 ? '1 model' : `${models.length} models`}`

/** Says what decides, each time that it is something else. */
const teller = (log: Log): ((config: Config) => void) => {
  let told: string | undefined
  return (config) => {
    const { policy, swapper, picker } = config
    const decisions = describeDecisions(config)
    if (decisions === told) return
    told = decisions
    log.info({ scheduler: policy.use, swapper, picker: picker.use }, decisions)
  }
}

const closeLimitMs = ({ models }: Config): number =>
  DEFAULT_ROUTER_LIMITS.shutdownDrainMs +
  Math.max(0, ...models.map(({ unloadTimeoutMs }) => unloadTimeoutMs)) +
  STOP_SLACK_MS
