import { failureOf, formatIssue, type ConfigReading, type KeyFileReading } from '@lswap/core'
import type { Discovery } from '../../../discover/discover.ts'
import { FETCH } from '../../../discover/missing.ts'
import { remarksOn } from '../../../discover/remarks.ts'
import type { Io } from '../../../io.ts'
import { findConfig, type ConfigText } from '../../serve/locate-config.ts'
import { checkSettings } from '../../serve/read-settings.ts'
import type { DoctorFlags } from '../command.ts'
import { counted, good, problem, warning, type Finding } from '../finding.ts'
import type { Probe } from '../probe.ts'
import type { Answering } from './answering.ts'

/** What the configuration says, for all who look at it. */
export interface ReadConfig {
  readonly source: ConfigText
  readonly reading: ConfigReading
  /** Files that keys lie in. */
  readonly keyFiles: readonly string[]
}

/** Undefined: there is none. Rejects when it can not be read. */
export type ConfigOnce = () => Promise<ReadConfig | undefined>

export const readConfigOnce = (flags: DoctorFlags, io: Pick<Io, 'env' | 'cwd'>): ConfigOnce => {
  let read: Promise<ReadConfig | undefined> | undefined
  return () => {
    read ??= readAll(flags, io)
    return read
  }
}

const readAll = async (flags: DoctorFlags, { env, cwd }: Pick<Io, 'env' | 'cwd'>): Promise<ReadConfig | undefined> => {
  const source = await findConfig(flags, { env, cwd })
  if (source === undefined) return undefined
  const keyFiles: string[] = []
  const reading = checkSettings(source, {
    env,
    cwd,
    onKeyFile: (path, file) => (isSecret(file) ? keyFiles.push(path) : undefined),
  })
  return { source, reading, keyFiles }
}

/** A certificate that an agent is trusted by (`tls.caFile`) is for everybody to see. */
const isSecret = (file: KeyFileReading): boolean =>
  !file.ok || !/^-----BEGIN CERTIFICATE-----/m.test(file.text) || file.text.includes('PRIVATE KEY')

/** The models of a configuration that can be used. */
export const modelsOf = async (config: ConfigOnce) => {
  const read = await config().catch(() => undefined)
  return read?.reading.ok === true ? read.reading.config.models : []
}

/** Whether the configuration leaves all models to agents on other machines. */
export const runsNothing = async (config: ConfigOnce): Promise<boolean> => {
  const read = await config().catch(() => undefined)
  return read?.reading.ok === true && !read.reading.config.embeddedAgent
}

const CHECK = 'config'

export interface ConfigProbeOptions {
  readonly config: ConfigOnce
  readonly answering: Answering
  /** Looks for what would be served without a configuration. */
  readonly findModels: () => Promise<Discovery>
}

export const configProbe = ({ config, answering, findModels }: ConfigProbeOptions): Probe => ({
  check: CHECK,
  look: async () => {
    try {
      const read = await config()
      if (read !== undefined) return judge(read)
      return (await answering()) ? [servedOtherwise] : withoutConfig(await findModels())
    } catch (error) {
      const { message, hint } = failureOf(error)
      return [problem(CHECK, { what: message, why: WHY, advice: hint ?? 'give another file with --config' })]
    }
  },
})

const WHY = '`lswap serve` starts nothing with it'

/** A service has its file elsewhere, and a router on another machine there. */
const servedOtherwise = good(CHECK, 'none in the usual places here; the router that answers has its own')

const withoutConfig = (found: Discovery): readonly Finding[] => [
  served(found),
  ...remarksOn({ cut: [], passedOver: found.passedOver }).map((what) =>
    warning(CHECK, { what, why: 'it is not served', advice: 'mend it, or move it away' }),
  ),
]

const served = ({ models, places }: Discovery): Finding =>
  models.length === 0
    ? warning(CHECK, {
        what: `there is none in the usual places, and no GGUF file in ${[...new Set(places.map(({ what }) => what))].join(', ')}`,
        why: '`lswap serve` has nothing to serve',
        advice: `put a GGUF file into ~/models: ${FETCH}; or write a configuration`,
      })
    : warning(CHECK, {
        what: `there is none in the usual places; models found: ${models.length}`,
        why: '`lswap serve` then serves those, with default settings',
        advice: '`lswap init` writes one to start from; --config FILE names another place',
      })

const judge = ({ source, reading }: ReadConfig): readonly Finding[] => {
  const issues = reading.ok ? reading.warnings : reading.issues.filter(({ severity }) => severity === 'error')
  const [first] = issues
  const advice = `\`lswap check ${source.name}\` tells each with its place`
  if (!reading.ok) {
    const what = `${counted(issues.length, 'error')} in ${source.name}; the first: ${first === undefined ? '' : formatIssue(first)}`
    return [problem(CHECK, { what, why: WHY, advice })]
  }
  const what = `${source.name}, ${counted(reading.config.models.length, 'model')}`
  if (first === undefined) return [good(CHECK, what)]
  return [warning(CHECK, { what: `${what}; ${formatIssue(first)}`, why: 'it may not do what was meant', advice })]
}
