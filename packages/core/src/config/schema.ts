import * as z from 'zod'
import { MAX_START_PORT } from './ports.ts'
import {
  count,
  flag,
  listOf,
  mapOf,
  milliseconds,
  oneOf,
  seconds,
  section,
  text,
  textLike,
  unused,
  whole,
} from './schema-kinds.ts'
import { agentIdSchema, agentUrlSchema, apiKeysSchema, hostNamesSchema, originsSchema } from './schema-access.ts'
import { groupsSchema, matrixSchema, routingSchema } from './schema-routing.ts'
import { filtersSchema, macrosSchema, modelSchema, timeoutsSchema } from './schema-model.ts'
import { bodySizeSchema, devicesSchema } from './sizes.ts'

const selectorSchema = section({
  strategy: oneOf('pin', 'warm', 'spillover'),
  targets: listOf(text()),
  settings: section({ spillover: count(1) }),
  name: text(),
  description: text(),
  unlisted: flag(),
  metadata: mapOf(z.unknown()),
})

const peerSchema = section({
  proxy: textLike(
    /^https?:\/\/(?:\[[0-9a-f:.]+\]|[^\s/:?#@[\]]+)(?::\d{1,5})?(?:\/[^\s?#]*)?$/i,
    'an address like http://192.0.2.1:8080 or https://example.org/api',
  ),
  models: listOf(text()),
  apiKey: text(),
  filters: filtersSchema(),
  timeouts: timeoutsSchema(),
})

const logTimeFormats = oneOf(
  '',
  'ansic',
  'unixdate',
  'rubydate',
  'rfc822',
  'rfc822z',
  'rfc850',
  'rfc1123',
  'rfc1123z',
  'rfc3339',
  'rfc3339nano',
  'kitchen',
  'stamp',
  'stampmilli',
  'stampmicro',
  'stampnano',
)

/** Every key of a configuration file. Those marked `unused` are accepted with a warning. */
export const configSchema = section({
  models: mapOf(modelSchema),
  macros: macrosSchema,
  healthCheckTimeout: seconds(),
  globalTTL: seconds(),
  unloadTimeout: seconds(),
  startPort: whole(1, MAX_START_PORT),
  logLevel: oneOf('debug', 'info', 'warn', 'error'),
  logTimeFormat: logTimeFormats,
  logToStdout: oneOf('proxy', 'upstream', 'both', 'none'),
  groups: groupsSchema(),
  matrix: matrixSchema(),
  routing: routingSchema,
  devices: devicesSchema(),
  apiKeys: apiKeysSchema(),
  cors: originsSchema(),
  allowedHosts: hostNamesSchema(),
  sendLoadingState: flag(),
  heartbeat: flag(),
  maxWait: seconds(),
  includeAliasesInList: flag(),
  maxQueued: count(1),
  queueTimeoutMs: milliseconds(1),
  maxBodyBytes: bodySizeSchema(),
  maxUploadBytes: bodySizeSchema(),
  waitingBodyMemory: bodySizeSchema(),
  waitingBodyDisk: bodySizeSchema(),
  upstream: section({ ignorePaths: listOf(text()) }),
  drainTimeoutMs: z.union([milliseconds(), z.literal('never')], { error: 'never, or a whole number of milliseconds' }),

  logRequests: flag(),
  metricsMaxInMemory: count(),
  captureBuffer: unused(count(), 'lswap keeps no copies of requests and answers'),
  store: unused(section({ path: text() }), 'requests that ended are remembered in memory alone (metricsMaxInMemory)'),
  ui: unused(
    section({ activity: section({ session_id: listOf(text()) }) }),
    'there is no web page; `lswap top` and `lswap explain` show activity',
  ),
  performance: unused(
    section({ disabled: flag(), every: text() }),
    'machines are measured when `lswap ps`, `lswap top`, /metrics or a decision asks',
  ),
  profiles: mapOf(section({ description: text(), pins: mapOf(z.union([text(), z.null()], { error: 'text' })) })),
  selectors: mapOf(selectorSchema),
  hooks: section({ on_startup: section({ preload: listOf(text()) }) }),
  peers: mapOf(peerSchema),

  agents: listOf(
    section({ id: agentIdSchema(), url: agentUrlSchema(), tokenFile: text(), tls: section({ caFile: text() }) }),
  ),
  embeddedAgent: flag(),
})

export type RawConfig = z.output<typeof configSchema>
