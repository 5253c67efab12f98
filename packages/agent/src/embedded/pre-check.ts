import { splitCommand } from '@lswap/core'
import type { Failure, ModelConfig, ModelId } from '@lswap/core'
import { checkCommand } from '../process/command.ts'
import { portConflict } from '../process/launch.ts'
import type { ProcessOwner } from '../process/owner.ts'
import { choosesPort, engineTarget } from '../process/target.ts'

/** The port that a model is bound to; undefined when the agent chooses one. Throws on a command that can not be read. */
export const boundPort = (model: ModelConfig): number | undefined =>
  choosesPort(model) ? undefined : engineTarget(model, splitCommand(model.cmd), model.port).port

const isBoundTo = (port: number, model: ModelConfig): boolean => {
  try {
    return boundPort(model) === port
  } catch {
    return false
  }
}

type Defined = Pick<ProcessOwner, 'definition' | 'ending'>

/** The ends of processes on their way out that hold the port of a model: one that a reload removed or changed may still drain. */
export const endingHolders = (owner: Defined, owners: ReadonlyMap<ModelId, Defined>): readonly Promise<unknown>[] => {
  const port = boundPort(owner.definition())
  if (port === undefined) return []
  return [...owners.values()].flatMap((other) => {
    const ending = other === owner ? undefined : other.ending()
    return ending !== undefined && isBoundTo(port, other.definition()) ? [ending] : []
  })
}

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
  // Whoever holds it goes first: then it is free when it is needed
  const leaving = evict.flatMap((id) => owners.get(id)?.definition() ?? [])
  const isFreed = leaving.some((other) => isBoundTo(port, other)) || endingHolders(owner, owners).length > 0
  return isFreed ? undefined : portConflict(engineTarget(model, checked.command.args, model.port))
}
