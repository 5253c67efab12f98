import { readCommandLine } from './command-line.ts'
import type { ModelConfig } from './config.ts'
import { canCoexist } from './groups.ts'
import type { Routing } from './groups.ts'
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
  routing: Routing,
  { root, report }: { root: Tree; report: Report },
): void => {
  const owners = new Map<number, ModelConfig[]>()
  for (const model of models) {
    const port = fixedPortOf(model)
    if (port === undefined) continue
    const others = owners.get(port) ?? []
    const other = others.find((one) => canCoexist(one, model, routing))
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
