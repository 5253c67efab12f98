import type { AgentMetrics } from '@lswap/core/protocol'
import type { Epochs } from './epochs.ts'

/** What an agent measured, with our numbers of its processes and its times moved to our clock: it was sent just now. */
export const onOurClock = (metrics: AgentMetrics, epochs: Pick<Epochs, 'ours'>, now: number): AgentMetrics => {
  const moved = (at: number): number => at + now - metrics.at
  return {
    ...metrics,
    at: now,
    devices: metrics.devices.map((device) => Object.assign({}, device, { sampledAt: moved(device.sampledAt) })),
    processes: metrics.processes.map((each) =>
      Object.assign({}, each, {
        epoch: each.epoch === null ? null : epochs.ours(each.epoch),
        engine: each.engine === null ? null : { ...each.engine, sampledAt: moved(each.engine.sampledAt) },
      }),
    ),
  }
}
