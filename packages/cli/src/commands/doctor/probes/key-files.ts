import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Io } from '../../../io.ts'
import type { DoctorFlags } from '../command.ts'
import { good, problem, warning, type Finding } from '../finding.ts'
import type { Probe } from '../probe.ts'
import type { ConfigOnce } from './config.ts'

export interface KeyFilesOptions {
  readonly config: ConfigOnce
  readonly flags: DoctorFlags
  readonly io: Pick<Io, 'env' | 'cwd'>
}

const CHECK = 'keys'
const OTHERS = 0o077

/** Whether files that hold keys are there, and for this user alone. */
export const filesProbe = ({ config, flags, io }: KeyFilesOptions): Probe => ({
  check: CHECK,
  look: async () => {
    const own = flags.keyFile ?? (io.env['LSWAP_KEY_FILE'] || undefined)
    const read = await config().catch(() => undefined)
    const named = [...(own === undefined ? [] : [resolve(io.cwd, own)]), ...(read?.keyFiles ?? [])]
    const findings = await Promise.all([...new Set(named)].map(judge))
    return findings
  },
})

const judge = async (path: string): Promise<Finding> => {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) {
    const why = 'who needs the key of it is refused'
    return problem(CHECK, { what: `${path} is not there`, why, advice: 'write the key into it, or name another file' })
  }
  if (process.platform === 'win32' || (found.mode & OTHERS) === 0) return good(CHECK, `${path} is yours alone`)
  return warning(CHECK, {
    what: `${path} can be read by others (mode ${(found.mode & 0o777).toString(8)})`,
    why: 'whoever reads it can use the router as you',
    advice: `chmod 600 ${path}`,
  })
}
