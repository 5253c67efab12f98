import { boundPort, describeHolders, portHolders } from '@lswap/agent'
import type { ModelConfig } from '@lswap/core'
import { good, problem, warning, type Finding } from '../finding.ts'
import type { Probe } from '../probe.ts'
import type { Answering } from './answering.ts'
import { modelsOf, type ConfigOnce } from './config.ts'

export interface PortsOptions {
  readonly config: ConfigOnce
  readonly answering: Answering
  readonly holdersOf?: typeof portHolders
}

const CHECK = 'ports'
/** Where `lswap serve` listens unless told otherwise. */
const ROUTER_PORT = 8080
/** Each takes a look at every process. */
const MAX_LOOKED = 64

/** Who holds the ports that lswap and its models would listen on. A router that runs may hold them all. */
export const portsProbe = ({ config, answering, holdersOf = portHolders }: PortsOptions): Probe => ({
  check: CHECK,
  look: async () => {
    if (await answering()) return [good(CHECK, 'held by the lswap that runs, or free')]
    const own = await holdersOf(ROUTER_PORT)
    const findings: Finding[] = own.length === 0 ? [] : [routerPort(describeHolders(own))]
    const models = await modelsOf(config)
    for (const model of models.slice(0, MAX_LOOKED)) {
      const port = boundTo(model)
      const holders = port === undefined ? [] : await holdersOf(port)
      if (holders.length > 0) findings.push(modelPort(model, port, describeHolders(holders)))
    }
    return findings.length === 0 ? [good(CHECK, `${ROUTER_PORT} and those of the models are free`)] : findings
  },
})

/** The port that a model must have; for the others a free one is looked for at each start. */
const boundTo = (model: ModelConfig): number | undefined => {
  try {
    return boundPort(model)
  } catch {
    // A command that can not be read is the business of the configuration's check
    return undefined
  }
}

const routerPort = (holders: string): Finding =>
  warning(CHECK, {
    what: `${ROUTER_PORT} is held by ${holders}`,
    why: '`lswap serve` listens there unless told otherwise, and would end with 5',
    advice: 'end it, or serve on another port with --listen',
  })

const modelPort = ({ id }: ModelConfig, port: number | undefined, holders: string): Finding =>
  problem(CHECK, {
    what: `${port}, which ${id} is bound to, is held by ${holders}`,
    why: `${id} can not start`,
    advice: 'end it, or write ${PORT} in the command so that a free port is taken',
  })
