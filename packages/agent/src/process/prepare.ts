import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { Failure, ModelConfig } from '@lswap/core'
import type { RunRecord } from '../state/run-files.ts'
import { bindCommand, checkCommand, type EngineCommand } from './command.ts'
import { argvHash, definitionHash } from './definition-hash.ts'
import type { EngineContext } from './engine.ts'
import { choosesPort, type EngineTarget } from './target.ts'

/** What the next agent is told of a start. */
export interface Run {
  readonly id: string
  readonly port: number
  readonly argv: readonly string[]
  /** The file that takes its output, as it is to outlive us; undefined: it is not to, or can not. */
  readonly outputFile: string | undefined
}

/** A start that can be spawned: its command was checked, its port is taken, and a run file announces it. */
export interface Preparation {
  /** As it was defined then. */
  readonly model: ModelConfig
  readonly command: EngineCommand
  readonly args: readonly string[]
  readonly target: EngineTarget
  /** What `${PORT}` stands for. */
  readonly port: number
  /** We chose the port, and found it free. */
  readonly isPortChosen: boolean
  readonly run: Run
  /** Gives the port back and removes the run file. */
  forget(): Promise<void>
}

export type Prepared =
  | { readonly ok: true; readonly preparation: Preparation }
  | { readonly ok: false; readonly failure: Failure }

/** No process has this number and this start: only by its environment can it be found. */
export const NOT_YET = { pid: 0, startTime: '' }

export const recordOf = (
  { model, state }: Pick<EngineContext, 'model' | 'state'>,
  run: Run,
  { pid, startTime }: Pick<RunRecord, 'pid' | 'startTime'>,
): RunRecord => ({
  runId: run.id,
  pid,
  startTime,
  bootId: state.bootId,
  argvHash: argvHash(run.argv),
  port: run.port,
  model: model.id,
  onAgentExit: run.outputFile === undefined ? 'stop' : 'keep',
  definitionHash: definitionHash(model),
  ...(model.forceKill === false ? { kindly: model.stopSignal } : {}),
})

const prepareOutput = async ({ model, state, log }: EngineContext, runId: string): Promise<string | undefined> => {
  const path = model.onAgentExit === 'keep' ? state.runs.outputOf(runId) : undefined
  if (path === undefined) return undefined
  try {
    await writeFile(path, '', { flag: 'a', mode: 0o600 })
    return path
  } catch (error) {
    log.warn({ err: error, model: model.id, path }, 'its output can not go to a file: the process ends with this agent')
    return undefined
  }
}

/** All of a start that needs no memory, so that it can be done while another engine ends. Nothing is run. */
export const prepareStart = async (context: EngineContext): Promise<Prepared> => {
  const { model, ports, state } = context
  // As it is now: a reload may change the context meanwhile
  const own = { ...context, model }
  const checked = await checkCommand(model)
  if (!checked.ok) return checked
  const { command } = checked
  const takesPort = choosesPort(model)
  const port = takesPort ? await ports.take(model.port) : model.port
  const { args, target } = bindCommand(model, command, port)
  const id = randomUUID()
  const run = {
    id,
    port: takesPort ? port : target.port,
    argv: [command.file, ...args],
    outputFile: await prepareOutput(own, id),
  }
  // Before the spawn: an agent that is killed right after it must not leave a process that no file tells of
  await state.runs.write(recordOf(own, run, NOT_YET))
  const forget = async (): Promise<void> => {
    if (takesPort) ports.release(port)
    await state.runs.remove(id)
  }
  return { ok: true, preparation: { model, command, args, target, port, isPortChosen: takesPort, run, forget } }
}

/** The preparation of a start that is to come. */
export interface EarlyPreparation {
  /** Returns what drops it, unless it was taken. */
  begin(context: EngineContext): () => Promise<void>
  /** For the start; undefined: nothing was prepared. */
  take(): Promise<Prepared> | undefined
}

export const createEarlyPreparation = (): EarlyPreparation => {
  let pending: Promise<Prepared> | undefined
  return {
    begin: (context) => {
      if (pending !== undefined) return async () => {}
      const mine = prepareStart(context)
      // Whoever takes it hears of it
      mine.catch(() => {})
      pending = mine
      return async () => {
        if (pending !== mine) return
        pending = undefined
        const found = await mine.catch(() => undefined)
        if (found?.ok === true) await found.preparation.forget()
      }
    },
    take: () => {
      const taken = pending
      pending = undefined
      return taken
    },
  }
}
