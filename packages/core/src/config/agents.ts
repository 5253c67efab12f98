import { hostId, LOCAL_HOST, type HostId } from '../ids.ts'
import type { ReadKeyFile } from './access.ts'
import type { AgentConfig } from './servers-config.ts'
import type { Path, Report } from './issue.ts'
import { textsAt } from './names.ts'
import type { RawConfig } from './schema.ts'
import { entriesOf, keyPlaceOf, placeOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

interface Context {
  readonly root: Tree
  readonly readKeyFile: ReadKeyFile | undefined
  readonly report: Report
}

export interface AgentsReading {
  readonly agents: readonly AgentConfig[]
  readonly embeddedAgent: boolean
  /** Whether other machines run models. */
  readonly hasRemote: boolean
  /** Every host that a model may name, in the order of the file, this machine first. */
  readonly hosts: readonly HostId[]
}

/** Reads the agents with their tokens. One with a mistake still counts as a host, so that nothing else is wrong for it. */
export const readAgents = (raw: RawConfig, context: Context): AgentsReading => {
  const { root, report } = context
  const list = treeAt(root, ['agents'])
  const given = raw.agents ?? []
  const embeddedAgent = raw.embeddedAgent ?? true
  const agents: AgentConfig[] = []
  const hosts: HostId[] = embeddedAgent ? [LOCAL_HOST] : []
  const hasRemote = list?.kind === 'list' && list.items.length > 0
  if (!embeddedAgent && !hasRemote) {
    const path = ['embeddedAgent']
    report.error({ at: placeOf(root, path), path, message: 'without agents nothing could run a model' })
  }
  // Entries with mistakes are missing here: the places of the others would be wrong
  if (list?.kind !== 'list' || list.items.length !== given.length) return { agents, embeddedAgent, hasRemote, hosts }
  for (const [index, { id, url, tokenFile, tls }] of given.entries()) {
    const path = ['agents', index]
    const missing = { id, url, tokenFile }
    for (const [name, value] of Object.entries(missing)) {
      const isThere = entriesOf(treeAt(root, path)).has(name)
      if (value === undefined && !isThere)
        report.error({ at: placeOf(root, path), path, message: `an agent needs ${name}` })
    }
    if (id === undefined) continue
    const host = hostId(id)
    if (id === LOCAL_HOST || hosts.includes(host)) {
      const message = id === LOCAL_HOST ? `${LOCAL_HOST} is this machine` : `another agent has the id ${id}`
      report.error({ at: placeOf(root, [...path, 'id']), path: [...path, 'id'], message })
      continue
    }
    hosts.push(host)
    const token = tokenFile === undefined ? undefined : fileOf([...path, 'tokenFile'], tokenFile, context)
    const ca = tls?.caFile === undefined ? undefined : fileOf([...path, 'tls', 'caFile'], tls.caFile, context)
    if (token !== undefined && !/^[\u0021-\u007e]+$/.test(token)) {
      const place = [...path, 'tokenFile']
      report.error({ at: placeOf(root, place), path: place, message: 'it does not hold one word of ASCII characters' })
    }
    if (url !== undefined && !isOnThisMachine(url) && !url.toLowerCase().startsWith('https:')) {
      const place = [...path, 'url']
      const message = 'the token and all requests cross the network as they are; with https they would not'
      report.warning({ at: placeOf(root, place), path: place, message })
    }
    if (url === undefined || token === undefined) continue
    agents.push({ id: host, url, token, ...(ca === undefined ? {} : { ca }) })
  }
  return { agents, embeddedAgent, hasRemote, hosts }
}

const isOnThisMachine = (url: string): boolean => /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):/i.test(url)

const fileOf = (path: Path, file: string, { root, readKeyFile, report }: Context): string | undefined => {
  const at = placeOf(root, path)
  const reading = readKeyFile?.(file, report.fileAt(at)) ?? { ok: false, reason: 'files are not read here' }
  if (!reading.ok) {
    report.error({ at, path, message: `the file ${file} can not be read: ${reading.reason}` })
    return undefined
  }
  const text = reading.text.trim()
  if (text === '') report.error({ at, path, message: `the file ${file} is empty` })
  return text === '' ? undefined : text
}

/** The hosts that may run a model: those that it names, else all; this machine only where it has a command. */
export const readHosts = (
  model: string,
  { hosts, hasCommand }: { readonly hosts: readonly HostId[]; readonly hasCommand: boolean },
  { root, report }: Pick<Context, 'root' | 'report'>,
): readonly HostId[] => {
  const path = ['models', model, 'hosts']
  const named = textsAt(root, path)
  const known: HostId[] = []
  for (const { text, at, path: place } of named) {
    const host = hostId(text)
    if (hosts.includes(host)) known.push(host)
    else
      report.error({
        at,
        path: place,
        message: `there is no host ${JSON.stringify(text)}`,
        meant: { given: text, valid: hosts },
      })
    if (host === LOCAL_HOST && hosts.includes(host) && !hasCommand) {
      report.error({ at, path: place, message: `${LOCAL_HOST} can not run it: the command is missing` })
    }
  }
  if (named.length === 0 && treeAt(root, path)?.kind === 'list') {
    report.error({ at: keyPlaceOf(root, path), path, message: 'a model needs a host; without this key all may run it' })
  }
  const wanted = named.length === 0 ? hosts : known
  return hasCommand ? wanted : wanted.filter((host) => host !== LOCAL_HOST)
}
