import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { createHostMemorySource, readHostMemory, readVmStat } from '../../src/devices/host-memory.ts'

const ONLY_LINUX = { skip: process.platform === 'linux' ? false : 'reads the files of Linux' }
const KIB = 1_024
const meminfo = 'MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    600 kB\n'

t.test('what the kernel says can be had, not what is free', ONLY_LINUX, async (t) => {
  const root = scratch(t, { proc: { meminfo } })
  t.same(await readHostMemory(root), { totalBytes: 1_000 * KIB, availableBytes: 600 * KIB })
})

t.test(
  'a limit on the group counts, also one of a group above it; files in the cache do not',
  ONLY_LINUX,
  async (t) => {
    const root = scratch(t, {
      proc: { meminfo, self: { cgroup: '0::/a/b\n' } },
      sys: {
        fs: {
          cgroup: {
            a: {
              'memory.max': `${500 * KIB}\n`,
              'memory.current': `${450 * KIB}\n`,
              'memory.stat': `anon 1\ninactive_file ${50 * KIB}\n`,
              b: { 'memory.max': 'max\n', 'memory.current': `${450 * KIB}\n` },
            },
          },
        },
      },
    })
    t.same(await readHostMemory(root), { totalBytes: 500 * KIB, availableBytes: 100 * KIB })
  },
)

t.test('the older control groups count as well, and their word for no limit', ONLY_LINUX, async (t) => {
  const group = (limit: string) => ({
    'memory.limit_in_bytes': limit,
    'memory.usage_in_bytes': `${300 * KIB}\n`,
    'memory.stat': `total_inactive_file ${20 * KIB}\n`,
  })
  const root = scratch(t, {
    proc: { meminfo, self: { cgroup: '4:cpu,memory:/docker/x\n1:name=systemd:/\n' } },
    sys: { fs: { cgroup: { memory: { docker: { x: group(`${400 * KIB}\n`) }, ...group('9223372036854771712\n') } } } },
  })
  t.same(await readHostMemory(root), { totalBytes: 400 * KIB, availableBytes: 120 * KIB })
})

t.test('a group without a limit bounds nothing, whatever else its files say', ONLY_LINUX, async (t) => {
  const group = { 'memory.limit_in_bytes': '9223372036854771712\n', 'memory.usage_in_bytes': '9223372036854771712\n' }
  const root = scratch(t, {
    proc: { meminfo, self: { cgroup: '4:memory:/\n' } },
    sys: { fs: { cgroup: { memory: group } } },
  })
  t.same(await readHostMemory(root), { totalBytes: 1_000 * KIB, availableBytes: 600 * KIB })
})

t.test('a reading that is not cheap serves for two seconds, unless a new one is asked for', async (t) => {
  let now = 5_000
  let reads = 0
  const sourceOf = (isCheap: boolean) =>
    createHostMemorySource({
      clock: { now: () => now },
      isCheap,
      read: async () => {
        reads += 1
        return { totalBytes: 10, availableBytes: reads }
      },
    })
  const dear = sourceOf(false)
  const free = async () => (await dear.known())?.availableBytes
  t.equal(await free(), 1)
  now += 1_999
  t.equal(await free(), 1)
  now += 1
  t.equal(await free(), 2)
  t.equal((await dear.look())?.availableBytes, 3)
  t.equal(await free(), 3)
  const cheap = sourceOf(true)
  t.equal((await cheap.known())?.availableBytes, 4)
  t.equal((await cheap.known())?.availableBytes, 5)
})

t.test('nobody can tell where the files are not', ONLY_LINUX, async (t) => {
  t.equal(await readHostMemory(join(scratch(t), 'nowhere')), undefined)
})

t.test('the pages of a Mac that can be had', async (t) => {
  const text = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                                10.
Pages active:                             500.
Pages inactive:                            20.
Pages speculative:                          3.
Pages purgeable:                            1.
`
  t.same(readVmStat(text, 2 ** 30), { totalBytes: 2 ** 30, availableBytes: 34 * 16_384 })
})
