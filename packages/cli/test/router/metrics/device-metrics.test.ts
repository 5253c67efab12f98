import type { AgentMetrics } from '@lswap/core/protocol'
import { Registry } from 'prom-client'
import t from 'tap'
import { addDeviceMetrics } from '../../../src/router/metrics/device-metrics.ts'

const measured: AgentMetrics = {
  at: 1_000,
  memory: null,
  devices: [
    {
      name: 'gpu0',
      label: null,
      source: 'nvidia',
      totalBytes: 24,
      usedBytes: 10,
      use: 0.5,
      temperatureC: null,
      powerWatts: 250.5,
      othersBytes: 4,
      sampledAt: 1_000,
    },
  ],
  processes: [
    { model: 'a', epoch: 1, pid: 7, memoryBytes: 3, deviceBytes: { gpu0: 6 }, engine: null },
    { model: 'b', epoch: 2, pid: 8, memoryBytes: 3, deviceBytes: null, engine: null },
  ],
}

t.test('devices of hosts are gauges, and what engines take of them', async (t) => {
  const registry = new Registry()
  let asked = 0
  let hosts = new Map([['box', measured]])
  const ask = async () => {
    asked += 1
    return hosts
  }
  addDeviceMetrics(ask, [registry], () => 3_500)
  const text = await registry.metrics()
  for (const line of [
    'lswap_device_memory_bytes{host="box",device="gpu0"} 24',
    'lswap_device_memory_used_bytes{host="box",device="gpu0"} 10',
    'lswap_device_memory_others_bytes{host="box",device="gpu0"} 4',
    'lswap_device_use_ratio{host="box",device="gpu0"} 0.5',
    'lswap_device_power_watts{host="box",device="gpu0"} 250.5',
    'lswap_device_sample_age_seconds{host="box",device="gpu0"} 2.5',
    'lswap_engine_device_memory_bytes{model="a",host="box",device="gpu0"} 6',
  ])
    t.ok(text.split('\n').includes(line), line)
  t.notMatch(text, /temperature_celsius\{/, 'what nobody can tell is left out')
  t.notMatch(text, /model="b"/)
  t.equal(asked, 1, 'one answer for a page')
  hosts = new Map()
  t.notMatch(await registry.metrics(), /host="box"/, 'a host that does not answer is left out')
})
