import type { ConnectionTimeouts } from './servers-config.ts'
import type { Path, Report } from './issue.ts'
import type { RawModel } from './schema-model.ts'
import { entriesOf, keyPlaceOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'
import { waitMs } from './wait.ts'

/** Keys of llama-swap's transport that mean nothing for connections to an engine. */
const UNUSED: ReadonlyMap<string, string> = new Map([
  ['tlsHandshake', 'engines are reached by plain HTTP'],
  ['expectContinue', 'lswap answers Expect: 100-continue itself'],
])

/** The time limits of connections that a file gives; 0: none. */
export const readTimeouts = (given: RawModel['timeouts']): ConnectionTimeouts | undefined => {
  if (given === undefined) return undefined
  const limits: readonly (readonly [keyof ConnectionTimeouts, number | undefined])[] = [
    ['connectMs', given.connect],
    ['responseHeaderMs', given.responseHeader],
    ['idleMs', given.idleConn],
    ['keepAliveMs', given.keepalive],
    ['tlsHandshakeMs', given.tlsHandshake],
  ]
  const set = limits.flatMap(([key, seconds]) => (seconds === undefined ? [] : [[key, waitMs(seconds)]]))
  return set.length === 0 ? undefined : (Object.fromEntries(set) as ConnectionTimeouts)
}

/** What has no effect for an engine is said. */
export const warnOfTimeouts = (root: Tree, model: Path, report: Report): void => {
  for (const key of entriesOf(treeAt(root, [...model, 'timeouts'])).keys()) {
    const reason = UNUSED.get(key)
    const path = [...model, 'timeouts', key]
    if (reason !== undefined) report.warning({ at: keyPlaceOf(root, path), path, message: `no effect: ${reason}` })
  }
}
