import type { ModelId } from '@lswap/core'
import type { Logger } from '../logs/logger.ts'
import type { Engine } from './engine.ts'
import { describeHolders, portHolders } from './port-holder.ts'
import { isHeldBy } from './port-holder-linux.ts'
import { treeOf } from './process-table.ts'
import { isLoopback } from './target.ts'

/**
 * Says once when the engine's port is held by somebody outside its group: so it is with containers and wrappers that
 * fork, and accepted, but it explains much when it was not meant. Only where the system tells (Linux).
 */
export const createForeignListenerNotice = (log: Logger) => {
  let said = false
  const look = async (model: ModelId, { child, target }: Engine): Promise<void> => {
    // Our own processes first: usually that is the answer, and few files are read.
    const own = treeOf(child.pid).map(({ pid }) => pid)
    if (own.length === 0 || (await isHeldBy(target.port, own)) !== false) return
    const holders = await portHolders(target.port)
    const outside = holders.filter(({ pid }) => treeOf(pid)[0]?.group !== child.pid)
    if (child.exit() !== undefined || (holders.length > 0 && outside.length === 0)) return
    said = true
    log.info(
      { model, port: target.port, holders: outside },
      `the engine's port is held by ${describeHolders(outside)}, which is not in its process group`,
    )
  }
  return (model: ModelId, engine: Engine): void => {
    if (said || !isLoopback(engine.target)) return
    look(model, engine).catch((error: unknown) =>
      log.debug({ err: error, model }, 'nobody can tell who holds the port'),
    )
  }
}
