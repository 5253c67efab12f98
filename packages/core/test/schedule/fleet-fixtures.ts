import { hostId, modelId, type EndpointMetrics, type ModelPolicy } from '../../src/index.ts'
import { model, type RigOptions } from './fixtures.ts'
import { Rig } from './rig.ts'

export const hostsUpTo = (count: number): string[] => Array.from({ length: count }, (_, place) => `h${place + 1}`)

interface FleetRig extends Partial<Omit<RigOptions, 'models' | 'hosts'>> {
  readonly hosts?: number
  readonly models?: readonly string[]
  readonly each?: Partial<ModelPolicy>
}

/** Hosts h1, h2 … that each may run every model. */
export const fleetRig = ({ hosts = 2, models = ['A', 'B', 'C'], each = {}, ...more }: FleetRig = {}): Rig => {
  const ids = hostsUpTo(hosts)
  return new Rig({
    models: models.map((id) => model(id, { hosts: ids.map((host) => hostId(host)), ...each })),
    hosts: ids,
    ...more,
  })
}

/** The replica on a host tells its metrics, read now; `olderBy` names an earlier start of it. */
export const sample = (
  rig: Rig,
  at: { readonly id: string; readonly host: string; readonly olderBy?: number },
  metrics: Partial<EndpointMetrics> = {},
): string[] => {
  const placement = { model: modelId(at.id), host: hostId(at.host) }
  const { placements = [] } = rig.scheduler.view(rig.now).models.get(placement.model) ?? {}
  const epoch = placements.find((view) => view.placement.host === placement.host)?.epoch ?? 0
  return rig.take(
    rig.scheduler.onFleetChange({
      type: 'fleet-changed',
      now: rig.now,
      observation: {
        type: 'sampled',
        placement,
        epoch: (epoch - (at.olderBy ?? 0)) as never,
        metrics: { sampledAt: rig.now, ...metrics },
      },
    }),
  )
}
