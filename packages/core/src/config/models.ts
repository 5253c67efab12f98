import { modelId } from '../ids.ts'
import type { HostId } from '../ids.ts'
import { DEFAULT_QUEUE_LIMIT } from '../schedule/options.ts'
import { readAdapters } from './adapters.ts'
import { readHosts, type AgentsReading } from './agents.ts'
import { readCommands } from './commands.ts'
import type { ModelId } from '../ids.ts'
import { readCapabilities, readMetadata } from './listing.ts'
import type { ModelConfig, RequestFilters } from './model-config.ts'
import { readFilters } from './filters.ts'
import { readHooks } from './hooks.ts'
import type { Report } from './issue.ts'
import { readMemory } from './memory.ts'
import { readTimeouts, warnOfTimeouts } from './timeouts.ts'
import { waitMs } from './wait.ts'
import { assignPorts, DEFAULT_START_PORT, PORT_SPAN } from './ports.ts'
import type { RawConfig } from './schema.ts'
import type { RawModel } from './schema-model.ts'
import { entriesOf, keyPlaceOf, placeOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

const DEFAULT_HEALTH_CHECK_SECONDS = 120
/** What llama-swap raises lower values to; a model's own limit is taken as it is. */
const MIN_HEALTH_CHECK_SECONDS = 15
const DEFAULT_UNLOAD_SECONDS = 10

/** What the rest of the file gives to models. */
interface Inherited {
  readonly healthCheckSeconds: number
  readonly unloadSeconds: number
  readonly ttlSeconds: number
  readonly sendLoadingState: boolean
  readonly heartbeat: boolean | undefined
  readonly maxWaitSeconds: number
  readonly priorities: ReadonlyMap<ModelId, number>
}

/** Builds the models in the order of the file. One without a usable command is reported and left out. */
export const readModels = (
  raw: RawConfig,
  root: Tree,
  options: { priorities: ReadonlyMap<ModelId, number>; report: Report; fleet: AgentsReading },
): readonly ModelConfig[] => {
  const { priorities, report, fleet } = options
  const entries = entriesOf(treeAt(root, ['models']))
  if (entries.size === 0 && treeAt(root, ['models'])?.kind !== 'list') {
    report.error({ at: keyPlaceOf(root, ['models']), path: ['models'], message: 'no models are configured' })
  }
  const inherited: Inherited = {
    healthCheckSeconds: readHealthCheck(raw.healthCheckTimeout, root, report),
    unloadSeconds: raw.unloadTimeout || DEFAULT_UNLOAD_SECONDS,
    ttlSeconds: raw.globalTTL ?? 0,
    sendLoadingState: raw.sendLoadingState ?? false,
    heartbeat: raw.heartbeat,
    maxWaitSeconds: raw.maxWait ?? 0,
    priorities,
  }
  const ports = assignPorts(entries.keys(), raw.startPort ?? DEFAULT_START_PORT)
  return [...entries.keys()].flatMap((id) => {
    const path = ['models', id]
    const port = ports.get(id)
    const model = raw.models?.[id]
    if (port === undefined) {
      report.error({ at: keyPlaceOf(root, path), path, message: `there may be ${PORT_SPAN} models` })
    }
    if (model === undefined || port === undefined) return []
    const cmd = readCommands(model, { root, path, report, mayLack: fleet.hasRemote })
    const hosts = readHosts(id, { hosts: fleet.hosts, hasCommand: cmd !== '' }, { root, report })
    const filters = readFilters(root, path, report)
    const metadata = readMetadata(root, path, report)
    const hooks = readHooks(model.hooks, { root, path: [...path, 'hooks'], report })
    warnOfTimeouts(root, path, report)
    if (model.forceKill === false && model.stopSignal === 'SIGKILL') {
      const message = 'forceKill: false forbids SIGKILL'
      report.error({ at: placeOf(root, [...path, 'stopSignal']), path: [...path, 'stopSignal'], message })
    }
    if (model.restoreAfter && (model.ttl ?? 0) > 0) {
      const message = 'restoreAfter keeps it loaded while nothing else is wanted, so that its ttl does not count'
      report.warning({ at: placeOf(root, [...path, 'ttl']), path: [...path, 'ttl'], message })
    }
    return cmd === undefined ? [] : [buildModel({ id, model, cmd, hosts, port, filters, metadata, hooks, inherited })]
  })
}

const readHealthCheck = (given: number | undefined, root: Tree, report: Report): number => {
  if (given === undefined || given >= MIN_HEALTH_CHECK_SECONDS) return given ?? DEFAULT_HEALTH_CHECK_SECONDS
  const path = ['healthCheckTimeout']
  const message = `raised to ${MIN_HEALTH_CHECK_SECONDS} seconds, the least; a model's own healthCheckTimeout may be less`
  report.warning({ at: placeOf(root, path), path, message })
  return MIN_HEALTH_CHECK_SECONDS
}

interface Parts {
  readonly id: string
  readonly model: RawModel
  readonly cmd: string
  readonly hosts: readonly HostId[]
  readonly port: number
  readonly filters: RequestFilters
  readonly metadata: ModelConfig['metadata']
  readonly hooks: ModelConfig['hooks']
  readonly inherited: Inherited
}

const buildModel = ({ id, model, hosts, port, metadata, hooks, inherited, ...written }: Parts): ModelConfig => {
  const { cmd, filters, adapters } = readAdapters(model.adapters, written)
  const timeouts = readTimeouts(model.timeouts)
  const maxWait = model.maxWait ?? inherited.maxWaitSeconds
  const ttl = model.ttl === undefined || model.ttl === -1 ? inherited.ttlSeconds : model.ttl
  return {
    id: modelId(id),
    name: model.name || undefined,
    description: model.description || undefined,
    cmd,
    cmdStop: model.cmdStop?.trim() ? model.cmdStop : undefined,
    proxy: model.proxy,
    port,
    checkEndpoint: readEndpoint(model.checkEndpoint),
    // Zero is how llama-swap writes "not set".
    healthCheckTimeoutMs: waitMs(model.healthCheckTimeout || inherited.healthCheckSeconds),
    unloadTimeoutMs: waitMs(model.unloadTimeout || inherited.unloadSeconds),
    stopSignal: model.stopSignal ?? 'SIGTERM',
    ...(hooks === undefined ? {} : { hooks }),
    ...(model.forceKill === false ? { forceKill: false as const } : {}),
    onAgentExit: model.onAgentExit ?? 'stop',
    env: readEnv(model.env ?? []),
    aliases: aliasesOf(id, [...(model.aliases ?? []), ...adapters.map(({ alias }) => alias)], filters),
    ...(adapters.length === 0 ? {} : { adapters }),
    ...(timeouts === undefined ? {} : { timeouts }),
    ...(model.saveSlots === true ? { saveSlots: true as const } : {}),
    unlisted: model.unlisted ?? false,
    useModelName: model.useModelName || undefined,
    filters,
    idleMs: ttl > 0 ? ttl * 1000 : undefined,
    ...(model.restoreAfter ? { restoreMs: model.restoreAfter * 1000 } : {}),
    concurrencyLimit: model.concurrencyLimit || undefined,
    queueLimit: model.queueLimit ?? DEFAULT_QUEUE_LIMIT,
    ...(model.apiKey === undefined ? {} : { apiKey: model.apiKey }),
    pinned: model.pinned ?? false,
    hosts,
    fifoPriority: inherited.priorities.get(modelId(id)) ?? 0,
    priority: model.priority ?? 0,
    criticality: model.criticality,
    sendLoadingState: model.sendLoadingState ?? inherited.sendLoadingState,
    heartbeat: model.heartbeat ?? inherited.heartbeat,
    ...(maxWait === 0 ? {} : { maxWaitMs: maxWait * 1000 }),
    metadata,
    capabilities: readCapabilities(model.capabilities),
    memory: readMemory(model.memory),
    ...(model.compat?.ignoreWebsockets === true ? { ignoreWebsockets: true } : {}),
  }
}

/** A name that has parameters of its own is one that a request may use. */
const aliasesOf = (id: string, written: readonly string[], { setParamsById }: RequestFilters): readonly string[] =>
  [...new Set([...written, ...setParamsById.map(({ name }) => name)])].filter((alias) => alias !== id)

const readEndpoint = (path: string | undefined): string => {
  if (path === undefined || path === 'none') return path ?? '/health'
  return path.startsWith('/') ? path : `/${path}`
}

/** `NAME=value` lines; the last of a name wins, as in a process's environment. */
const readEnv = (lines: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    lines.map((line) => {
      const split = line.indexOf('=')
      return [line.slice(0, split), line.slice(split + 1)]
    }),
  )
