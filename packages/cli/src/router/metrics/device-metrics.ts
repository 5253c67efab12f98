import type { AgentMetrics } from '@lswap/core/protocol'
import { Gauge, type Registry } from 'prom-client'
import type { Measured } from '../fleet/measured.ts'

type Device = AgentMetrics['devices'][number]

/** Name, help, and where it is from; null: nobody can tell. */
const OF_DEVICES: readonly (readonly [string, string, (device: Device, at: number) => number | null])[] = [
  ['lswap_device_memory_bytes', 'Memory of a device.', ({ totalBytes }) => totalBytes],
  ['lswap_device_memory_used_bytes', 'Memory of a device that is in use, by whomever.', ({ usedBytes }) => usedBytes],
  [
    'lswap_device_memory_others_bytes',
    'Memory of a device that other programs use.',
    ({ othersBytes }) => othersBytes ?? null,
  ],
  ['lswap_device_use_ratio', 'Share of time in which a device was in use.', ({ use }) => use],
  ['lswap_device_temperature_celsius', 'Temperature of a device.', ({ temperatureC }) => temperatureC],
  ['lswap_device_power_watts', 'Power that a device takes.', ({ powerWatts }) => powerWatts],
  [
    'lswap_device_sample_age_seconds',
    'How old the readings of a device are.',
    ({ sampledAt }, at) => Math.max(0, at - sampledAt) / 1_000,
  ],
]

/** Asked for when somebody reads, once for all of them; a host that does not answer in time is left out. */
export const addDeviceMetrics = (ask: () => Promise<Measured>, registers: Registry[], now: () => number): void => {
  let asked: Promise<Measured> | undefined
  // All of a page are of one answer
  const answer = (): Promise<Measured> => {
    asked ??= ask().finally(() => {
      asked = undefined
    })
    return asked
  }
  for (const [name, help, of] of OF_DEVICES) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: ['host', 'device'],
      registers,
      collect: async () => {
        const hosts = await answer()
        gauge.reset()
        for (const [host, { devices }] of hosts) {
          for (const device of devices) {
            const value = of(device, now())
            if (value !== null) gauge.set({ host, device: device.name }, value)
          }
        }
      },
    })
  }
  const models = new Gauge({
    name: 'lswap_engine_device_memory_bytes',
    help: 'Memory of a device that an engine uses, where a tool tells.',
    labelNames: ['model', 'host', 'device'],
    registers,
    collect: async () => {
      const hosts = await answer()
      models.reset()
      for (const [host, { processes }] of hosts) {
        for (const { model, deviceBytes } of processes) {
          for (const [device, bytes] of Object.entries(deviceBytes ?? {})) models.set({ model, host, device }, bytes)
        }
      }
    },
  })
}
