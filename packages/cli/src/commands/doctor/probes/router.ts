import { failureOf } from '@lswap/core'
import { askModels } from '../../../client/models.ts'
import { connect } from '../../../client/router-client.ts'
import type { TaskContext } from '../../invocation.ts'
import type { DoctorFlags } from '../command.ts'
import { good, problem, warning, type Finding } from '../finding.ts'
import type { Probe } from '../probe.ts'

const CHECK = 'router'
const LIMIT_MS = 3_000

/** Whether the router answers, and lets this user in. Where none was asked for, none need run. */
export const routerProbe = (flags: DoctorFlags, context: TaskContext): Probe => ({
  check: CHECK,
  look: async () => {
    try {
      const router = await connect(flags, context)
      const { models } = await askModels(router, LIMIT_MS)
      return [good(CHECK, `answers at ${router.url}, ${models.length} models can be asked for`)]
    } catch (error) {
      return [judge(error, flags.url ?? context.io.env['LSWAP_URL'])]
    }
  },
})

const judge = (error: unknown, asked: string | undefined): Finding => {
  const { code, message, hint = 'see its log' } = failureOf(error)
  if (code === 'unauthorized' || code === 'forbidden') {
    const advice = 'give a key with --key-file FILE or $LSWAP_KEY_FILE'
    return problem(CHECK, { what: message, why: 'the commands can do nothing there', advice })
  }
  const complaint = { what: message, why: 'nobody is served there', advice: hint }
  return code === 'unreachable' && asked === undefined ? warning(CHECK, complaint) : problem(CHECK, complaint)
}
