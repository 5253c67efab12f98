import type { ModelConfig } from '../config/model-config.ts'

/**
 * When a changed key of a model acts.
 *
 * - `process`: it is part of what runs. A process without it drains and stops; the next request starts another.
 * - `start`: at the next start. A process that is ready goes on; a load that is under way is begun anew.
 * - `stop`: when its process is stopped the next time, one that runs already too.
 * - `request`: at once, and no process notices.
 */
export type Effect = 'process' | 'start' | 'stop' | 'request'

export interface ModelKey {
  /** As the file calls it. */
  readonly name: string
  readonly acts: Effect
}

const key = (name: string, acts: Effect): ModelKey => ({ name, acts })

/** Every key of a model, so that nobody adds one without deciding what a reload makes of it. `port` follows from `startPort`. */
export const MODEL_KEYS: Readonly<Record<Exclude<keyof ModelConfig, 'id' | 'port'>, ModelKey>> = {
  cmd: key('cmd', 'process'),
  env: key('env', 'process'),
  proxy: key('proxy', 'process'),
  // Connections to a process carry it from its start on
  apiKey: key('apiKey', 'process'),
  checkEndpoint: key('checkEndpoint', 'start'),
  healthCheckTimeoutMs: key('healthCheckTimeout', 'start'),
  onAgentExit: key('onAgentExit', 'start'),
  cmdStop: key('cmdStop', 'stop'),
  stopSignal: key('stopSignal', 'stop'),
  forceKill: key('forceKill', 'stop'),
  hooks: key('hooks', 'start'),
  saveSlots: key('saveSlots', 'start'),
  unloadTimeoutMs: key('unloadTimeout', 'stop'),
  name: key('name', 'request'),
  description: key('description', 'request'),
  aliases: key('aliases', 'request'),
  unlisted: key('unlisted', 'request'),
  useModelName: key('useModelName', 'request'),
  filters: key('filters', 'request'),
  idleMs: key('ttl', 'request'),
  restoreMs: key('restoreAfter', 'request'),
  concurrencyLimit: key('concurrencyLimit', 'request'),
  queueLimit: key('queueLimit', 'request'),
  pinned: key('pinned', 'request'),
  // A process on a host that is not among them any more stops there
  hosts: key('hosts', 'request'),
  fifoPriority: key('routing.scheduler.settings.fifo.priority', 'request'),
  priority: key('priority', 'request'),
  criticality: key('criticality', 'request'),
  sendLoadingState: key('sendLoadingState', 'request'),
  heartbeat: key('heartbeat', 'request'),
  maxWaitMs: key('maxWait', 'request'),
  metadata: key('metadata', 'request'),
  capabilities: key('capabilities', 'request'),
  memory: key('memory', 'request'),
  // Their files are part of the command
  adapters: key('adapters', 'request'),
  // As apiKey
  timeouts: key('timeouts', 'process'),
  ignoreWebsockets: key('compat.ignoreWebsockets', 'request'),
}

export const modelKeys = Object.entries(MODEL_KEYS) as readonly (readonly [keyof typeof MODEL_KEYS, ModelKey])[]
