import { DEFAULT_FIFO, DEFAULT_SERIAL, fleetOf, LswapError, optionsFor, readTrace } from '@lswap/core'
import { schedulerOptions, simulate, type Config, type PolicySettings, type Trace } from '@lswap/core'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Outcome, TaskContext } from '../invocation.ts'
import { locateConfig } from '../serve/locate-config.ts'
import { readSettings } from '../serve/read-settings.ts'
import type { SimulateFlags } from './command.ts'
import { reportOf, type Played } from './report.ts'
import { fileReason } from '../../print/file-reason.ts'

const DEFAULTS = { serial: DEFAULT_SERIAL, fifo: DEFAULT_FIFO } as const

/** Plays the trace in the file against the schedulers that the flags name. */
export const simulateTrace = async (
  file: string,
  flags: SimulateFlags,
  { io, style, say }: TaskContext,
): Promise<Outcome> => {
  const trace = readTrace(await textOf(file, io.cwd))
  const config =
    flags.config === undefined
      ? undefined
      : readSettings(await locateConfig(flags, io), { env: io.env, cwd: io.cwd, say })
  if (config !== undefined) checkModels(trace, config)
  const played = policiesOf(flags, config).map((policy): Played => ({
    policy: policy.use,
    result: play(trace, policy, config),
  }))
  const data = { trace: { file, requests: trace.length, head: trace.head }, results: played }
  return { data, text: reportOf(played, style), exitCode: 0 }
}

const textOf = async (file: string, cwd: string): Promise<string> => {
  try {
    return await readFile(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw new LswapError(
      { code: 'invalid_trace', message: `Cannot read the trace ${file}: ${fileReason(error)}.` },
      { cause: error },
    )
  }
}

/** A request for a model that is not there would only be refused: rather a mistake in one of the two files. */
const checkModels = (trace: Trace, { models }: Config): void => {
  const known = new Set(models.map(({ id }) => id))
  const unknown = trace.models.filter((model) => !known.has(model))
  if (unknown.length === 0) return
  throw new LswapError({
    code: 'model_not_found',
    message: `The trace asks for ${unknown.join(', ')}, which the configuration does not have.`,
    hint: 'name models in the trace as the configuration does; aliases are not looked up',
  })
}

/** The configuration's own settings where it is of the kind that was asked for. */
const policiesOf = ({ policy, compare }: SimulateFlags, config: Config | undefined): PolicySettings[] => {
  const names = compare === true ? (['serial', 'fifo'] as const) : [policy ?? config?.policy.use ?? 'serial']
  return names.map((use) => (config?.policy.use === use ? config.policy : DEFAULTS[use]))
}

const play = (trace: Trace, policy: PolicySettings, config: Config | undefined): Played['result'] => {
  const settings = trace.head.fleet
  if (config === undefined) {
    const fleet = fleetOf(settings)
    return simulate(trace, fleet, optionsFor(trace, fleet, { policy }))
  }
  const hosts = [...new Set(config.models.flatMap((model) => model.hosts))]
  return simulate(trace, fleetOf(settings, hosts), { ...schedulerOptions(config), policy })
}
