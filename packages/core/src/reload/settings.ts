import type { Config } from '../config/config.ts'
import { canonical } from './canonical.ts'

/** What the file calls a part of the configuration; `restart`: what runs can not take it over. */
interface Setting {
  readonly name: string
  readonly acts: 'now' | 'restart'
}

const now = (name: string): Setting => ({ name, acts: 'now' })

/** Parts that hold several settings. */
type Section = 'limits' | 'bodies' | 'access'

type Sections = { readonly [Name in Section]: Readonly<Record<keyof Config[Name], Setting>> }
/** `derived`: it only tells of others. */
type Singles = Readonly<Record<Exclude<keyof Config, 'models' | Section>, Setting | 'derived'>>

/** Every part of a configuration besides its models, so that nobody adds one without deciding what a reload makes of it. */
const PARTS: Sections & Singles = {
  swapper: now('routing.router.use'),
  swapperReason: 'derived',
  groups: now('groups'),
  matrix: now('matrix'),
  devices: now('devices'),
  picker: now('routing.picker'),
  policy: now('routing.scheduler'),
  limits: {
    maxQueued: now('maxQueued'),
    queueTimeoutMs: now('queueTimeoutMs'),
    drainTimeoutMs: now('drainTimeoutMs'),
  },
  bodies: {
    maxBodyBytes: now('maxBodyBytes'),
    maxUploadBytes: now('maxUploadBytes'),
    waitingBodyMemory: now('waitingBodyMemory'),
    waitingBodyDisk: now('waitingBodyDisk'),
  },
  access: { keys: now('apiKeys'), cors: now('cors'), allowedHosts: now('allowedHosts') },
  includeAliasesInList: now('includeAliasesInList'),
  secretVariables: 'derived',
  startPort: now('startPort'),
  ignorePaths: now('upstream.ignorePaths'),
  selectors: now('selectors'),
  profiles: now('profiles'),
  peers: now('peers'),
  agents: now('agents'),
  embeddedAgent: { name: 'embeddedAgent', acts: 'restart' },
  preload: { name: 'hooks.on_startup.preload', acts: 'restart' },
  logLevel: now('logLevel'),
  logTimeFormat: now('logTimeFormat'),
  logTo: now('logToStdout'),
  logRequests: now('logRequests'),
  keptRequests: now('metricsMaxInMemory'),
}

const isSetting = (part: Setting | Sections[Section]): part is Setting => 'acts' in part

/** The settings in which two configurations differ, as the file calls them. */
export const changedSettings = (previous: Config, next: Config): readonly Setting[] =>
  Object.entries(PARTS).flatMap(([name, part]) => {
    if (part === 'derived') return []
    const [before, after] = [valueOf(previous, name), valueOf(next, name)]
    if (isSetting(part)) return isSame(before, after) ? [] : [part]
    return Object.entries(part).flatMap(([key, setting]: [string, Setting]) =>
      isSame(valueOf(before, key), valueOf(after, key)) ? [] : [setting],
    )
  })

const valueOf = (of: unknown, key: string): unknown => (of as Readonly<Record<string, unknown>>)[key]

const isSame = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)
