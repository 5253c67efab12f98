import { modelFileProblem } from '@lswap/agent'
import { splitCommand, type ModelConfig } from '@lswap/core'
import { counted, good, problem, type Finding } from '../finding.ts'
import type { Probe } from '../probe.ts'
import { modelsOf, runsNothing, type ConfigOnce } from './config.ts'

const CHECK = 'models'
/** Of a folder that is not mounted all are gone, and it is one thing to mend. */
const MAX_TOLD = 5

/** Whether the model files that commands name can be read: else only the first request would tell. */
export const modelFilesProbe = (config: ConfigOnce): Probe => ({
  check: CHECK,
  look: async () => {
    if (await runsNothing(config)) return []
    const models = await modelsOf(config)
    const problems: Finding[] = []
    for (const model of models) {
      const what = await modelFileProblem(argvOf(model))
      if (what !== undefined) problems.push(missing(model, what))
    }
    if (problems.length === 0) return models.length === 0 ? [] : [good(CHECK, 'the files that they name can be read')]
    const left = problems.length - MAX_TOLD
    const rest =
      left > 0 ? [problem(CHECK, { what: `the same of ${counted(left, 'more model')}`, why: WHY, advice: ADVICE })] : []
    return [...problems.slice(0, MAX_TOLD), ...rest]
  },
})

const WHY = 'it can not be started'
const ADVICE = 'put the file there, or correct the path in its cmd'

const missing = ({ id }: ModelConfig, what: string): Finding =>
  problem(CHECK, { what: `${id}: ${what}`, why: WHY, advice: ADVICE })

const argvOf = ({ cmd }: ModelConfig): readonly string[] => {
  try {
    return splitCommand(cmd)
  } catch {
    // A command that can not be read is the business of the configuration's check
    return []
  }
}
