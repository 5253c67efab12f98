import { randomUUID } from 'node:crypto'
import { startTimeOf } from '../state/process-identity.ts'
import type { RunRecord } from '../state/run-files.ts'
import { RUN_VARIABLE } from '../state/sweep.ts'
import { spawnChild, type Child } from './child.ts'
import type { EngineContext } from './engine.ts'
import { NOT_YET, recordOf } from './prepare.ts'

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  /** Everything: only the number of its run is added. */
  readonly env: NodeJS.ProcessEnv
}

export type StartedCommand =
  | {
      readonly ok: true
      readonly child: Child
      /** Once all of it has ended. */
      readonly forget: () => Promise<void>
    }
  | { readonly ok: false; readonly message: string }

/**
 * Starts a command around a load or a stop, with a run file of its own: nothing ends with an agent that is killed unless it watches its
 * input, and the next agent ends what it left. Else a load would run beside what still prepares the last one.
 */
export const startCommand = async (
  context: Pick<EngineContext, 'model' | 'output' | 'state'>,
  { file, args, env }: Command,
): Promise<StartedCommand> => {
  const { model, output, state } = context
  const { runs } = state
  const id = randomUUID()
  const record = (who: Pick<RunRecord, 'pid' | 'startTime'>): RunRecord => {
    // It is no engine, which alone may have to be spared
    const { kindly: _kindly, ...rest } = recordOf(
      { model, state },
      { id, port: 0, argv: [file, ...args], outputFile: undefined },
      who,
    )
    return rest
  }
  await runs.write(record(NOT_YET))
  const spawned = await spawnChild({
    file,
    args,
    env: { ...env, [RUN_VARIABLE]: id },
    onOutput: (stream) => output.follow(stream),
  })
  if (!spawned.ok) {
    await runs.remove(id)
    return spawned
  }
  const { child } = spawned
  const named = async (): Promise<void> => {
    const startTime = await startTimeOf(child.pid)
    if (startTime !== undefined) await runs.write(record({ pid: child.pid, startTime }))
  }
  const recorded = named()
  return {
    ok: true,
    child,
    forget: async () => {
      await recorded
      await runs.remove(id)
    },
  }
}
