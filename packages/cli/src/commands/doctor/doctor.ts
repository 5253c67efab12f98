import { discover } from '../../discover/discover.ts'
import { plainLine } from '../../print/plain.ts'
import type { Style } from '../../print/style.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import type { DoctorFlags } from './command.ts'
import { counted, type Finding, type Verdict } from './finding.ts'
import { bounded, runTool, type Probe } from './probe.ts'
import { askAnswering, isElsewhere, type Answering } from './probes/answering.ts'
import { configProbe, readConfigOnce, runsNothing, type ConfigOnce } from './probes/config.ts'
import { engineProbe } from './probes/engines.ts'
import { gpuProbe } from './probes/gpu.ts'
import { filesProbe } from './probes/key-files.ts'
import { diskProbe, memoryProbe, nodeProbe, openFilesProbe } from './probes/machine.ts'
import { modelFilesProbe } from './probes/model-files.ts'
import { portsProbe } from './probes/ports.ts'
import { routerProbe } from './probes/router.ts'
import { stateProbe } from './probes/state.ts'

/** Looks at everything side by side, which need not be much where the router is another machine's; the order of the report is that of the list. */
export const doctor = async (flags: DoctorFlags, context: TaskContext): Promise<Outcome> => {
  const { io } = context
  const config = readConfigOnce(flags, io)
  const answering = askAnswering(flags, context)
  // A machine from where another one is looked after serves nothing itself
  const probes = (await isClient(config, flags, context))
    ? [nodeProbe(process.versions.node), routerProbe(flags, context), filesProbe({ config, flags, io })]
    : everything({ config, answering, flags, context })
  const findings = (await Promise.all(probes.map((probe) => bounded(probe)))).flat()
  return report(findings, context.style)
}

const isClient = async (config: ConfigOnce, flags: DoctorFlags, context: TaskContext): Promise<boolean> =>
  (await isElsewhere(flags, context)) &&
  (await config().then(
    (read) => read === undefined,
    () => false,
  ))

interface Examination {
  readonly config: ConfigOnce
  readonly answering: Answering
  readonly flags: DoctorFlags
  readonly context: TaskContext
}

const everything = ({ config, answering, flags, context }: Examination): readonly Probe[] => {
  const { io } = context
  return [
    nodeProbe(process.versions.node),
    configProbe({ config, answering, findModels: () => discover({ io, platform: process.platform }) }),
    engineProbe({ config, answering, io, runTool }),
    modelFilesProbe(config),
    whereModelsRun(config, gpuProbe({ runTool, platform: process.platform })),
    memoryProbe(),
    routerProbe(flags, context),
    portsProbe({ config, answering }),
    stateProbe(io.env),
    filesProbe({ config, flags, io }),
    diskProbe(io.env),
    openFilesProbe(),
  ]
}

/** A machine that leaves all models to agents needs no card. */
const whereModelsRun = (config: ConfigOnce, probe: Probe): Probe => ({
  ...probe,
  look: async () => ((await runsNothing(config)) ? [] : probe.look()),
})

const report = (findings: readonly Finding[], style: Style): Outcome => {
  const problems = findings.filter(({ verdict }) => verdict === 'problem').length
  const warnings = findings.filter(({ verdict }) => verdict === 'warning').length
  return {
    data: { ok: problems === 0, problems, warnings, findings },
    text: `${findings.map((finding) => lines(finding, style)).join('')}\n${summary(problems, warnings)}\n`,
    exitCode: problems === 0 ? 0 : 1,
  }
}

const lines = ({ check, verdict, what, why, advice }: Finding, style: Style): string => {
  const head = `${paint(verdict, WORDS[verdict], style)}  ${check.padEnd(7)}  ${plainLine(what)}\n`
  const more = [
    ['why', why],
    ['do', advice],
  ]
  return (
    head +
    more.map(([word, text]) => (text === undefined ? '' : `${' '.repeat(9)}${word}: ${plainLine(text)}\n`)).join('')
  )
}

const WORDS: Readonly<Record<Verdict, string>> = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' }

const paint = (verdict: Verdict, text: string, style: Style): string => {
  if (verdict === 'ok') return style.green(text)
  return verdict === 'warning' ? style.yellow(text) : style.red(text)
}

const summary = (problems: number, warnings: number): string => {
  if (problems + warnings === 0) return 'Nothing is wrong.'
  return [
    ...(problems > 0 ? [counted(problems, 'problem')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ].join(', ')
}
