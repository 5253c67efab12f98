import { createRedaction, type Config } from '@lswap/core'
import { resolve } from 'node:path'
import { ownHeap } from '../../heap/heap.ts'
import { write } from '../../print/write.ts'
import { systemClock } from '../../router/clock.ts'
import { parseListenAddress } from '../../router/listen-address.ts'
import { VERSION } from '../../version.ts'
import type { OutputFlags } from '../flags.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import { openSource } from '../serve/config-source.ts'
import { createLogger } from '../serve/logger.ts'
import { checkSettings, readSettings } from '../serve/read-settings.ts'
import { readTls } from '../serve/read-tls.ts'
import { runService } from '../serve/service.ts'
import type { AgentFlags } from './command.ts'
import { DRAIN_MS, startAgent } from './start.ts'

/** For what a stop needs besides the drain and the engines' own time limits. */
const STOP_SLACK_MS = 10_000

/** Runs models for a router until a signal ends it. */
export const agent = async (flags: AgentFlags & OutputFlags, context: TaskContext): Promise<Outcome> => {
  const { io, say } = context
  const heap = ownHeap(systemClock())
  const listen = parseListenAddress(flags.listen)
  const source = await openSource(flags, context)
  const tls = await readTls(flags, io.cwd)
  const config = readSettings(source.first, { env: io.env, cwd: io.cwd, say })
  const redaction = createRedaction()
  redaction.know(config)
  const { redact } = redaction
  const logger = await createLogger({ io, format: flags.logFormat, color: flags.color, config, redact })
  const tokenFile = flags.tokenFile ?? nonEmpty(io.env['LSWAP_AGENT_TOKEN_FILE'])
  let limitMs = closeLimitMs(config)
  try {
    const exitCode = await runService({
      io,
      log: logger.log,
      closeLimitMs: () => limitMs,
      onHangup: (running) => void running.reload(),
      start: () =>
        startAgent({
          heap,
          config,
          listen,
          tls,
          insecure: flags.insecure === true,
          tokenFile: tokenFile === undefined ? undefined : resolve(io.cwd, tokenFile),
          stateDir: flags.stateDir === undefined ? undefined : resolve(io.cwd, flags.stateDir),
          env: io.env,
          log: logger.log,
          redaction,
          readConfig: async () => checkSettings(await source.again(), { env: io.env, cwd: io.cwd }),
          onConfig: (next) => {
            logger.configure(next)
            limitMs = Math.max(limitMs, closeLimitMs(next))
          },
          onListening: (urls) => {
            for (const url of urls)
              void write(io.stdout, `lswap agent ${VERSION} listening on ${url}\n`).catch(() => {})
          },
        }),
    })
    return { data: { exitCode }, text: '', exitCode }
  } finally {
    await logger.end()
  }
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

const closeLimitMs = ({ models }: Config): number =>
  DRAIN_MS + Math.max(0, ...models.map(({ unloadTimeoutMs }) => unloadTimeoutMs)) + STOP_SLACK_MS
