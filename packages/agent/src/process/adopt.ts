import type { ModelConfig } from '@lswap/core'
import type { RunRecord } from '../state/run-files.ts'
import { setUpAdapters } from './adapters.ts'
import { adoptChild } from './adopted-child.ts'
import { bindCommand, boundEnvironment, checkCommand } from './command.ts'
import type { Engine, EngineContext } from './engine.ts'
import { argvHash, definitionHash } from './definition-hash.ts'
import { createProber } from './probe.ts'
import { watchReadiness } from './readiness.ts'
import { RUN_VARIABLE } from '../state/sweep.ts'
import { askSlots } from './slots.ts'
import { choosesPort } from './target.ts'

/** An engine that serves answers its health route at once, also when it is busy. */
const HEALTHY_WITHIN_MS = 3_000

export type Adoption =
  | { readonly ok: true; readonly engine: Engine; readonly slots: number | undefined }
  | { readonly ok: false; readonly reason: string }

const refuse = (reason: string): Adoption => ({ ok: false, reason })

/** Why the process is not what the model would be started as now. */
const mismatch = (model: ModelConfig, record: RunRecord): string | undefined => {
  if (model.onAgentExit !== 'keep') return 'onAgentExit is not keep any more'
  return record.definitionHash === definitionHash(model) ? undefined : 'its definition is another one now'
}

/** Takes over a process of an earlier agent: the one that the model's definition would start, and healthy. */
export const adoptEngine = async (context: EngineContext, record: RunRecord): Promise<Adoption> => {
  const { model, output, ports, state, log } = context
  const differs = mismatch(model, record)
  if (differs !== undefined) return refuse(differs)
  const checked = await checkCommand(model)
  if (!checked.ok) return refuse(checked.failure.message)
  const { command } = checked
  const { args, target } = bindCommand(model, command, record.port)
  if (argvHash([command.file, ...args]) !== record.argvHash) return refuse('its command is another one now')

  const prober = createProber(target, model.checkEndpoint)
  const signal = new AbortController().signal
  const readiness = await watchReadiness({ prober, limitMs: HEALTHY_WITHIN_MS, signal }).result
  if (readiness.outcome !== 'ready') return refuse(`it is not healthy: ${prober.url} did not answer 200`)
  // Whoever had it between may have asked for other scales, and an answer is checked by nobody
  await setUpAdapters(target, { model, log }, signal)
  const slots = await askSlots(target)

  const { runId, pid, port, startTime } = record
  if (choosesPort(model)) ports.claim(port)
  const since = output.mark(`${model.id}: taken over from an earlier agent, pid ${pid}, port ${target.port}`)
  const child = adoptChild({
    stamp: { pid, startTime },
    outputFile: state.runs.outputOf(runId),
    onOutput: (stream) => output.follow(stream),
  })
  const engine: Engine = {
    child,
    target,
    port,
    env: { ...boundEnvironment(model, command, port), [RUN_VARIABLE]: runId },
    output: { log: output, since },
    endsWithInput: false,
    isKept: true,
    recorded: Promise.resolve(),
    async forget() {
      ports.release(port)
      await state.runs.remove(runId)
    },
  }
  return { ok: true, engine, slots }
}
