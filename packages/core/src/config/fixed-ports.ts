import { LOCAL_HOST } from '../ids.ts'
import type { Resident, Swapper } from '../evict/swapper.ts'
import { readCommandLine } from './command-line.ts'
import type { ModelConfig } from './model-config.ts'
import type { Report } from './issue.ts'
import { portArgument, portOfUrl } from './ports.ts'
import { placeOf } from './tree.ts'
import type { Tree } from './tree.ts'

/**
 * Two models that name one port outright. Those that never run together may share it, as old llama-swap files do;
 * others would answer for one another.
 */
export const checkFixedPorts = (
  models: readonly ModelConfig[],
  swapper: Swapper,
  { root, report }: { root: Tree; report: Report },
): void => {
  const owners = new Map<number, ModelConfig[]>()
  for (const model of models) {
    const port = fixedPortOf(model)
    if (port === undefined) continue
    const others = owners.get(port) ?? []
    const other = others.find((one) => canCoexist(one, model, swapper))
    if (other) {
      const path = ['models', model.id, model.proxy === undefined ? 'cmd' : 'proxy']
      const message = `port ${port} is also that of the model ${JSON.stringify(other.id)}, which may run at the same time`
      report.error({ at: placeOf(root, path), path, message })
    }
    owners.set(port, [...others, model])
  }
}

const fixedPortOf = ({ proxy, cmd }: ModelConfig): number | undefined => {
  if (proxy !== undefined) return portOfUrl(proxy)
  const line = readCommandLine(cmd)
  return line.ok ? portArgument(line.words) : undefined
}

/** Whether two models can have processes at the same time on one host: where the start of one spares the other. */
export const canCoexist = (a: ModelConfig, b: ModelConfig, swapper: Swapper): boolean =>
  spares(a, b, swapper) || spares(b, a, swapper)

const spares = (target: ModelConfig, { id, pinned }: ModelConfig, swapper: Swapper): boolean => {
  const idle: Resident = {
    model: id,
    pinned,
    inFlight: 0,
    idleSince: 0,
    loading: false,
    reloadMs: undefined,
    drainMs: 0,
  }
  const plan = swapper.plan({ now: 0, target: target.id, host: LOCAL_HOST, residents: [idle], memory: undefined })
  return plan.type === 'evict' && !plan.models.includes(id)
}
