import { splitCommand } from '@lswap/core'
import type { Failure, ModelConfig, ModelId } from '@lswap/core'
import { checkCommand } from '../process/command.ts'
import { portConflict } from '../process/launch.ts'
import type { ProcessOwner } from '../process/owner.ts'
import { choosesPort, engineTarget } from '../process/target.ts'

/** The port that a model is bound to; undefined when the agent chooses one. Throws on a command that can not be read. */
export const boundPort = (model: ModelConfig): number | undefined =>
  choosesPort(model) ? undefined : engineTarget(model, splitCommand(model.cmd), model.port).port

/** Whether a model that goes first holds the port: then it is free when it is needed. */
const isFreedBy = (port: number, leaving: readonly ModelConfig[]): boolean =>
  leaving.some((model) => {
    try {
      return boundPort(model) === port
    } catch {
      return false
    }
  })

type Defined = Pick<ProcessOwner, 'definition'>

/** What is wrong with a start, as far as that can be known before anything is stopped for it. */
export const preCheckStart = async (
  owner: Defined,
  evict: readonly ModelId[],
  owners: ReadonlyMap<ModelId, Defined>,
): Promise<Failure | undefined> => {
  const model = owner.definition()
  const checked = await checkCommand(model)
  if (!checked.ok) return checked.failure
  const port = boundPort(model)
  if (port === undefined) return undefined
  const leaving = evict.flatMap((id) => owners.get(id)?.definition() ?? [])
  return isFreedBy(port, leaving) ? undefined : portConflict(engineTarget(model, checked.command.args, model.port))
}
