import t from 'tap'
import { watchSplit } from '../../src/devices/nvidia-split.ts'
import type { DeviceReading } from '../../src/devices/reading.ts'

const MIB = 2 ** 20

const whole = (name: string, use: number | null): DeviceReading => ({
  name,
  label: 'H100',
  source: 'nvidia',
  totalBytes: 81_559 * MIB,
  usedBytes: 100 * MIB,
  use,
  temperatureC: 40,
  powerWatts: 100,
  sampledAt: 0,
})

const part = (index: number, instance: number, used: string) => `
  <mig_device>
    <index>${index}</index>
    <gpu_instance_id>${instance}</gpu_instance_id>
    <compute_instance_id>0</compute_instance_id>
    <fb_memory_usage><total>9856 MiB</total><reserved>0 MiB</reserved><used>${used}</used></fb_memory_usage>
  </mig_device>`

const page = (used: string) => `<?xml version="1.0" ?>
<nvidia_smi_log>
  <gpu id="00000000:01:00.0">
    <uuid>GPU-a</uuid>
    <mig_devices>None</mig_devices>
    <processes><process_info><gpu_instance_id>N/A</gpu_instance_id><pid>5</pid><used_memory>7 MiB</used_memory></process_info></processes>
  </gpu>
  <gpu id="00000000:02:00.0">
    <uuid>GPU-b</uuid>
    <mig_devices>${part(0, 7, used)}${part(1, 7, used)}${part(2, 9, '[N/A]')}</mig_devices>
    <processes>
      <process_info><gpu_instance_id>7</gpu_instance_id><pid>77</pid><used_memory>4096 MiB</used_memory></process_info>
    </processes>
  </gpu>
</nvidia_smi_log>`

t.test('a device that is split is told as its parts, each with its own memory and processes', async (t) => {
  let now = 0
  let used = '5000 MiB'
  let pages = 0
  const known = new Map([
    ['GPU-a', whole('gpu0', 0.5)],
    ['GPU-b', whole('gpu1', null)],
  ])
  const split = watchSplit({
    clock: { now: () => now },
    known,
    page: async () => {
      pages += 1
      return page(used)
    },
  })
  t.same(
    split.readings().map(({ name }) => name),
    ['gpu0', 'gpu1'],
    'until the page was read',
  )
  await split.look()
  await new Promise((resolve) => setImmediate(resolve))
  t.match(split.readings(), [
    { name: 'gpu0', usedBytes: 100 * MIB },
    { name: 'gpu1-mig0', totalBytes: 9_856 * MIB, usedBytes: 5_000 * MIB, use: null, label: 'H100, MIG' },
    { name: 'gpu1-mig2', usedBytes: null },
  ])
  t.same(split.processes(), [{ device: 'gpu1-mig0', pid: 77, bytes: 4_096 * MIB }])
  t.equal(split.isSplit('GPU-b'), true)
  t.equal(split.isSplit('GPU-a'), false)
  used = '6000 MiB'
  split.readings()
  t.equal(pages, 1, 'not at every look')
  now += 10_000
  split.readings()
  await new Promise((resolve) => setImmediate(resolve))
  t.match(split.readings()[1], { usedBytes: 6_000 * MIB })
})

t.test('devices that tell their use are never asked for parts', async (t) => {
  let pages = 0
  const split = watchSplit({
    clock: { now: () => 1 },
    known: new Map([['GPU-a', whole('gpu0', 0)]]),
    page: async () => {
      pages += 1
      return undefined
    },
  })
  split.readings()
  await split.look()
  t.equal(pages, 0)
})
