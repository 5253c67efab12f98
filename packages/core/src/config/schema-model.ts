import * as z from 'zod'
import { count, flag, listOf, mapOf, oneOf, seconds, section, text, textLike, whole } from './schema-kinds.ts'
import { memorySchema } from './sizes.ts'

export const macrosSchema = mapOf(
  z.union([z.string(), z.number(), z.boolean()], { error: 'text, a number, true or false' }),
)

/** Two keys have a second spelling in llama-swap. */
export const filtersSchema = () =>
  section({
    stripParams: text(),
    strip_params: text(),
    setParams: mapOf(z.unknown()),
    set_params: mapOf(z.unknown()),
    setParamsByID: mapOf(mapOf(z.unknown())),
  })

export const timeoutsSchema = () =>
  section({
    connect: seconds(),
    keepalive: seconds(),
    responseHeader: seconds(),
    tlsHandshake: seconds(),
    expectContinue: seconds(),
    idleConn: seconds(),
  })

/** Signals that a person may want an engine to get; the others stop or wound a process without ending it. */
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGKILL', 'SIGABRT', 'SIGUSR1', 'SIGUSR2'] as const

/** The bounds of a request's priority. */
const MIN_PRIORITY = -100
const MAX_PRIORITY = 100

const URL_OF_ENGINE = /^http:\/\/(?:\[[0-9a-f:.]+\]|[^\s/:?#@[\]]+)(?::(?:\d{1,5}|\$\{PORT\}))?(?:\/[^\s?#]*)?$/i

const ADAPTER = { error: 'a path, the number of a loaded adapter, or a map with one of the two and a scale' }
const ADAPTER_ID = { error: "a number or the engine's name of a loaded adapter" }
const adapterSchema = z.union(
  [
    section({ path: text(), id: z.union([count(), text()], ADAPTER_ID), scale: z.number({ error: 'a number' }) }),
    z.union([count(), text()], ADAPTER),
  ],
  ADAPTER,
)

/** Anew each time: a schema stands for one key. */
const hookSchema = () => section({ cmd: text(), timeout: seconds(1), required: flag() })

export const modelSchema = section({
  cmd: text(),
  cmdStop: text(),
  proxy: textLike(URL_OF_ENGINE, 'an address like http://127.0.0.1:8000'),
  checkEndpoint: textLike(/^\S*$/, 'a path like /health, or none'),
  ttl: seconds(-1),
  restoreAfter: seconds(),
  unloadTimeout: seconds(),
  healthCheckTimeout: seconds(),
  aliases: listOf(textLike(/\S/, 'a name')),
  env: listOf(textLike(/^[^=\0]+=[^\0]*$/, 'NAME=value')),
  unlisted: flag(),
  name: text(),
  description: text(),
  concurrencyLimit: count(),
  macros: macrosSchema,
  queueLimit: count(1),
  apiKey: textLike(/^[\u0021-\u007e]+$/, 'a key of ASCII characters without blanks'),
  stopSignal: oneOf(...stopSignals),
  forceKill: flag(),
  hooks: section({ before: listOf(hookSchema()), after: listOf(hookSchema()) }),
  onAgentExit: oneOf('stop', 'keep'),
  pinned: flag(),
  memory: memorySchema(),
  priority: whole(MIN_PRIORITY, MAX_PRIORITY),
  criticality: oneOf('critical', 'standard', 'sheddable'),
  useModelName: text(),
  filters: filtersSchema(),
  compat: section({ ignoreWebsockets: flag() }),

  metadata: mapOf(z.unknown()),
  sendLoadingState: flag(),
  heartbeat: flag(),
  maxWait: seconds(),
  capabilities: section({
    in: listOf(oneOf('text', 'audio', 'image')),
    out: listOf(oneOf('text', 'audio', 'image')),
    tools: flag(),
    reranker: flag(),
    context: count(),
  }),

  timeouts: timeoutsSchema(),

  hosts: listOf(text()),
  adapters: mapOf(adapterSchema),
  saveSlots: flag(),
})

export type RawModel = z.output<typeof modelSchema>
