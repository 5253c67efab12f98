import { failureOf } from '@lswap/core'
import { askModels } from '../../../client/models.ts'
import { connect, type RouterClient } from '../../../client/router-client.ts'
import { running, type RunningHost } from '../../../client/running.ts'
import type { TaskContext } from '../../invocation.ts'
import type { DoctorFlags } from '../command.ts'
import { counted, good, problem, warning, type Finding } from '../finding.ts'
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
      return [
        good(CHECK, `answers at ${router.url}, ${counted(models.length, 'model')} can be asked for`),
        ...(await wrongThere(router)),
      ]
    } catch (error) {
      return [judge(error, flags.url ?? context.io.env['LSWAP_URL'])]
    }
  },
})

/** Nobody else tells of stuck models once their swap has failed. A key that may not see what runs says nothing. */
const wrongThere = async (router: RouterClient): Promise<readonly Finding[]> => {
  const { models, hosts, unplaced } = await running(router).catch(() => ({ models: [], hosts: [], unplaced: [] }))
  const stuck = models
    .filter(({ state }) => state === 'stuck')
    .map(({ model, reason = 'its process does not end' }) =>
      problem(CHECK, {
        what: `${model} is stuck: ${reason}`,
        why: 'its memory stays taken, and nothing is started in its place',
        advice: `end the process when that is safe, or ask it once more: lswap unload ${model}`,
      }),
    )
  const lost = unplaced.map((model) =>
    problem(CHECK, {
      what: `no host has ${model}`,
      why: 'requests for it wait and fail',
      advice: 'define it in the file of an agent that models.*.hosts allows, and reload that agent (SIGHUP)',
    }),
  )
  return [...hosts.flatMap(wrongWith), ...stuck, ...lost]
}

const wrongWith = ({ host, up, reason, problems }: RunningHost): readonly Finding[] => {
  const found = problems.length > 0 || up ? problems : [{ message: reason ?? 'it does not answer', hint: undefined }]
  return found.map(({ message, hint = 'see the log of its agent, and `lswap check --agents`' }) => {
    const what = `host ${host}: ${message}`
    return up
      ? warning(CHECK, { what, why: 'what is shown of it may be wrong', advice: hint })
      : problem(CHECK, { what, why: 'none of its models serves', advice: hint })
  })
}

const judge = (error: unknown, asked: string | undefined): Finding => {
  const { code, message, hint = 'see its log' } = failureOf(error)
  if (code === 'unauthorized' || code === 'forbidden') {
    const advice = 'give a key with --key-file FILE or $LSWAP_KEY_FILE'
    return problem(CHECK, { what: message, why: 'the commands can do nothing there', advice })
  }
  const complaint = { what: message, why: 'nobody is served there', advice: hint }
  return code === 'unreachable' && asked === undefined ? warning(CHECK, complaint) : problem(CHECK, complaint)
}
