import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { createAmdSource } from '../../src/devices/amd.ts'

const GIB = 2 ** 30

const card = (usedGib: number) => ({
  device: {
    mem_info_vram_total: `${16 * GIB}\n`,
    mem_info_vram_used: `${usedGib * GIB}\n`,
    gpu_busy_percent: '50\n',
    hwmon: { hwmon3: { temp1_input: '41000\n', power1_average: '12000000\n' } },
  },
})

/** Cards in the order of their numbers; what has no memory of its own is none. */
const rig = (t: Parameters<typeof scratch>[0]) => {
  const drm = { card10: card(3), card2: card(1), card0: { device: {} }, 'card2-DP-1': {}, version: 'drm' }
  const root = scratch(t, { sys: { class: { drm } } })
  const clock = { time: 1_000, now: () => clock.time }
  const source = createAmdSource({ now: () => clock.time }, root)
  return { source, clock, base: join(root, 'sys/class/drm') }
}

const usedGib = (readings: Awaited<ReturnType<ReturnType<typeof rig>['source']['read']>>) =>
  readings.map(({ name, usedBytes }) => [name, (usedBytes ?? 0) / GIB])

t.test('devices by the files of their driver', async (t) => {
  const { source } = rig(t)
  const [first, ...others] = await source.read()
  t.same(first, {
    name: 'gpu0',
    label: null,
    source: 'amd',
    totalBytes: 16 * GIB,
    usedBytes: GIB,
    use: 0.5,
    temperatureC: 41,
    powerWatts: 12,
    sampledAt: 1_000,
  })
  t.same(usedGib(others), [['gpu1', 3]])
})

t.test('their memory is read each time, and once a minute which there are', async (t) => {
  const { source, clock, base } = rig(t)
  await source.read()
  writeFileSync(join(base, 'card2/device/mem_info_vram_used'), `${5 * GIB}\n`)
  mkdirSync(join(base, 'card11/device'), { recursive: true })
  writeFileSync(join(base, 'card11/device/mem_info_vram_total'), `${8 * GIB}\n`)
  const before = [
    ['gpu0', 5],
    ['gpu1', 3],
  ]
  clock.time += 59_999
  t.same(usedGib(await source.read()), before)
  clock.time += 1
  t.same(usedGib(await source.read()), [...before, ['gpu2', 0]])
})

t.test('a device that is gone is not told any more, at once', async (t) => {
  const { source, base } = rig(t)
  await source.read()
  rmSync(join(base, 'card10'), { recursive: true })
  t.same(usedGib(await source.read()), [['gpu0', 1]])
})
