import type { ModelId } from '@lswap/core'
import type { Logger } from '../logs/logger.ts'
import type { Engine } from './engine.ts'
import { describeHolders, portHolders } from './port-holder.ts'
import { isHeldBy } from './port-holder-linux.ts'
import { treeOf } from './process-table.ts'
import { isLoopback } from './target.ts'

/** Looking reads dozens of files; the requests that wait for the engine come first. */
const LOOK_AFTER_MS = 200

export interface Suspect {
  readonly model: ModelId
  readonly engine: Engine
  readonly isReady: () => boolean
}

/**
 * Says once when the engine's port is held by somebody outside its group: so it is with containers and wrappers that
 * fork, and accepted, but it explains much when it was not meant. Only where the system tells (Linux).
 */
export const createForeignListenerNotice = (log: Logger) => {
  let said = false
  const look = async ({ model, engine: { child, target }, isReady }: Suspect): Promise<void> => {
    // Our own processes first: usually that is the answer, and few files are read.
    const own = treeOf(child.pid).map(({ pid }) => pid)
    if (own.length === 0 || (await isHeldBy(target.port, own)) !== false) return
    const holders = await portHolders(target.port)
    const outside = holders.filter(({ pid }) => treeOf(pid)[0]?.group !== child.pid)
    // An engine that is being stopped meanwhile holds nothing any more.
    if (!isReady() || (holders.length > 0 && outside.length === 0)) return
    said = true
    log.info(
      { model, port: target.port, holders: outside },
      `the engine's port is held by ${describeHolders(outside)}, which is not in its process group`,
    )
  }
  return (suspect: Suspect): void => {
    if (said || !isLoopback(suspect.engine.target)) return
    const lookNow = (): void => {
      if (said || !suspect.isReady()) return
      look(suspect).catch((error: unknown) => {
        log.debug({ err: error, model: suspect.model }, 'nobody can tell who holds the port')
      })
    }
    setTimeout(lookNow, LOOK_AFTER_MS).unref()
  }
}
