import t from 'tap'
import { readComputeApps, readGpuLine } from '../../src/devices/nvidia-smi-output.ts'

const GIB = 2 ** 30

t.test('a device with everything', async (t) => {
  t.same(readGpuLine('0, GPU-a1, 24564, 1535, 37, 61, 283.40, NVIDIA GeForce RTX 4090', 5)?.reading, {
    name: 'gpu0',
    label: 'NVIDIA GeForce RTX 4090',
    source: 'nvidia',
    totalBytes: 24_564 * 2 ** 20,
    usedBytes: 1_535 * 2 ** 20,
    use: 0.37,
    temperatureC: 61,
    powerWatts: 283.4,
    sampledAt: 5,
  })
})

t.test('what can not be told is null, however the tool says so', async (t) => {
  const lines = {
    'split into instances (MIG)': '1, GPU-a2, 81559, 1024, [N/A], 32, 71.22, NVIDIA H100 80GB HBM3',
    'without a power sensor': '1, GPU-a2, 81559, 1024, [Not Supported], 32, [Not Supported], Tesla, of a kind',
    'with trouble': '1, GPU-a2, 81559, 1024, [Unknown Error], ERR!, [GPU requires reset], NVIDIA L4',
  }
  for (const [what, line] of Object.entries(lines)) {
    t.match(
      readGpuLine(line, 0)?.reading,
      { name: 'gpu1', totalBytes: 81_559 * 2 ** 20, usedBytes: GIB, use: null },
      what,
    )
  }
  t.match(readGpuLine('1, GPU-a2, 1, 1, [N/A], 3, [N/A], Tesla, of a kind', 0)?.reading, {
    label: 'Tesla, of a kind',
    powerWatts: null,
  })
  t.match(
    readGpuLine('0, GPU-a1, [N/A], [N/A], 0, 40, 5.11, NVIDIA GB10', 0)?.reading,
    { totalBytes: null, usedBytes: null, use: 0 },
    'one that shares the memory of the machine',
  )
})

t.test('messages are no devices', async (t) => {
  for (const line of [
    '',
    'No devices were found',
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
    'Failed to initialize NVML: Driver/library version mismatch',
    'Unable to determine the device handle for GPU 0000:01:00.0: Unknown Error',
    'Field "power.drawn" is not a valid field to query.',
    '0, 24564',
  ]) {
    t.equal(readGpuLine(line, 0), undefined, line)
  }
})

t.test('memory by process and device, without those that the tool can not see into', async (t) => {
  const output = 'GPU-a1, 4711, 1024\nGPU-a1, 4712, [N/A]\nGPU-a2, 4711, 512\nNo running processes found\n'
  t.same(readComputeApps(output), [
    { uuid: 'GPU-a1', pid: 4_711, bytes: GIB },
    { uuid: 'GPU-a2', pid: 4_711, bytes: GIB / 2 },
  ])
})
