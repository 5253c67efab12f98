import { swapperOf } from '../evict/choose.ts'
import type { ModelId } from '../ids.ts'
import { readAccess, type ReadKeyFile } from './access.ts'
import { readAgents } from './agents.ts'
import { readBodies } from './bodies.ts'
import { check } from './check.ts'
import type { Config } from './config.ts'
import type { ConfigReading } from './reading.ts'
import { readDocuments } from './documents.ts'
import { expandFile } from './expand-tree.ts'
import { canCoexist, checkFixedPorts } from './fixed-ports.ts'
import { createReport } from './issue.ts'
import type { Report } from './issue.ts'
import { readIgnorePaths } from './ignore-paths.ts'
import { checkMemory, readDevices } from './memory.ts'
import { DEFAULT_KEPT, MOST_KEPT } from './kept.ts'
import { readModels } from './models.ts'
import { readNames } from './names.ts'
import { readPeers } from './peers.ts'
import { readPicker } from './picker.ts'
import { DEFAULT_START_PORT } from './ports.ts'
import { readLimits, readPolicy, readPriorities } from './policy.ts'
import { readPreload } from './preload.ts'
import { readProfiles } from './profiles.ts'
import { readRouting } from './routing.ts'
import { configSchema } from './schema.ts'
import { readSelectors } from './selectors.ts'
import { sourcesOf, type ConfigFile } from './sources.ts'
import { reachableNames, targetsOf } from './targets.ts'
import { describe } from './tree.ts'
import type { Tree } from './tree.ts'

export interface ReadConfigOptions {
  /** Name of the file, for messages. */
  readonly file: string
  /** What `${env.NAME}` stands for. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** What a file that holds a key says; a file that can not be read is a sentence about why. Absent: no such file can be. */
  readonly readKeyFile?: ReadKeyFile
}

/**
 * Reads a configuration file, llama-swap's or our own: YAML, macros, types, names. Pure, and it never throws: all that
 * is wrong is in the issues, in the order of the file. After a syntax error only those are told.
 */
export const readConfig = (text: string, { file, ...options }: ReadConfigOptions): ConfigReading =>
  readConfigFiles([{ file, text }], options)

/** Reads several files as one configuration, in their order: {@link readConfig} for a folder of them. */
export const readConfigFiles = (
  files: readonly ConfigFile[],
  options: Omit<ReadConfigOptions, 'file'>,
): ConfigReading => {
  const sources = sourcesOf(files)
  const report = createReport(sources)
  const root = readDocuments(sources, report)
  const config = root && resolve(root, sources.text, options, report)
  if (config === undefined || report.hasErrors()) return { ok: false, issues: report.issues() }
  return { ok: true, config, warnings: report.issues() }
}

const resolve = (
  root: Tree,
  text: string,
  { env, readKeyFile }: Omit<ReadConfigOptions, 'file'>,
  report: Report,
): Config | undefined => {
  if (root.kind !== 'map') {
    report.error({ at: root.at, path: [], message: `expected a map of keys like \`models\`, found ${describe(root)}` })
    return undefined
  }
  const secrets = new Set<string>()
  const tree = expandFile(root, { report, env, text, secrets })
  const raw = check(configSchema, tree, { path: [], report }) ?? {}
  const names = readNames(tree, report)
  const routing = readRouting(raw, { root: tree, text, names, report })
  const priorities = readPriorities(raw, tree, { names, report })
  const fleet = readAgents(raw, { root: tree, readKeyFile, report })
  const models = readModels(raw, tree, { priorities, report, fleet })
  const parts = { ...routing, models, devices: readDevices(raw.devices, { root: tree, report, hosts: fleet.hosts }) }
  checkMemory(parts, { root: tree, report })
  const swapper = swapperOf(parts)
  checkFixedPorts(models, swapper, { root: tree, report })
  const peers = readPeers(raw, { root: tree, names, report })
  const targets = targetsOf(names, peers)
  const byId = new Map(models.map((model) => [model.id, model]))
  const areTogether = (a: ModelId, b: ModelId): boolean => {
    const [one, other] = [byId.get(a), byId.get(b)]
    return one === undefined || other === undefined || canCoexist(one, other, swapper)
  }
  return {
    ...parts,
    picker: readPicker(raw, tree, report),
    policy: readPolicy(raw, tree, report),
    limits: readLimits(raw),
    bodies: readBodies(raw),
    includeAliasesInList: raw.includeAliasesInList ?? false,
    secretVariables: [...secrets],
    startPort: raw.startPort ?? DEFAULT_START_PORT,
    ignorePaths: readIgnorePaths(raw, tree, report),
    access: readAccess(raw, { root: tree, names: reachableNames(names, peers), readKeyFile, report }),
    selectors: readSelectors(raw, { root: tree, targets, report, canCoexist: areTogether }),
    profiles: readProfiles(raw, { root: tree, targets, report }),
    peers,
    agents: fleet.agents,
    embeddedAgent: fleet.embeddedAgent,
    preload: readPreload(tree, { names, report }),
    logLevel: raw.logLevel ?? 'info',
    logTimeFormat: raw.logTimeFormat ?? '',
    logTo: raw.logToStdout ?? 'proxy',
    logRequests: raw.logRequests ?? true,
    keptRequests: Math.min(raw.metricsMaxInMemory ?? DEFAULT_KEPT, MOST_KEPT),
  }
}
