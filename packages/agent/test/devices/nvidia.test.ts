import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import { createDevices } from '../../src/devices/devices.ts'
import { createNvidiaSource } from '../../src/devices/nvidia.ts'
import { createFakeTimers } from '../forward/support/fake-timers.ts'
import { until } from '../process/support/poll.ts'
import { recordedLog } from '../process/support/recorded-log.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

/** A stand-in for the tool, a shell script; each start of it is a line in `starts`. */
const toolOf = (t: Test, script: string) => {
  const dir = scratch(t)
  const file = join(dir, 'nvidia-smi')
  const starts = join(dir, 'starts')
  writeFileSync(starts, '')
  const write = (text: string): void => {
    writeFileSync(file, `#!/bin/sh\necho "$*" >> '${starts}'\n${text}\n`)
    chmodSync(file, 0o755)
  }
  write(script)
  return { dir, file, write, starts: () => readFileSync(starts, 'utf8').split('\n').slice(0, -1) }
}

const sourceOf = (t: Test, script: string) => {
  const tool = toolOf(t, script)
  const clock = createFakeTimers()
  const log = recordedLog()
  const source = createNvidiaSource({ file: tool.file, clock, log })
  t.teardown(() => source.close())
  return { ...tool, clock, log, source }
}

const usedOf = (readings: readonly { readonly usedBytes: number | null }[]) =>
  readings.map(({ usedBytes }) => (usedBytes === null ? null : usedBytes / 2 ** 20))

const LOOPING = `
case "$*" in
  *compute-apps*) echo 'GPU-b, 77, 12' ;;
  *loop*) echo '0, GPU-a, 100, 10, 1, 2, 3, A'; echo '1, GPU-b, 100, 20, 1, 2, 3, B'; exec sleep 60 ;;
  *) echo '0, GPU-a, 100, 30, 1, 2, 3, A'; echo '1, GPU-b, 100, 40, 1, 2, 3, B' ;;
esac`

t.test('one process tells of all devices; a look of its own is newer, and tells of processes', async (t) => {
  const { source, starts, log } = sourceOf(t, LOOPING)
  await until('both were read', () => source.latest().length === 2)
  t.same(usedOf(source.latest()), [10, 20])
  t.same(usedOf(await source.read()), [30, 40])
  t.same(await source.processes(), [{ device: 'gpu1', pid: 77, bytes: 12 * 2 ** 20 }])
  t.equal(starts().filter((line) => line.includes('--loop-ms=')).length, 1)
  t.same(log.messages, [])
})

t.test('a tool that fails is said once, left alone for a minute, and used again when it works', async (t) => {
  const { source, starts, log, clock, write } = sourceOf(t, "echo 'No devices were found'; exit 6")
  await until('it is said', () => log.messages.length === 1)
  t.match(log.messages[0], /No devices were found/)
  clock.advance(59_000)
  t.same(await source.read(), [])
  t.equal(starts().length, 1, 'nobody starts it meanwhile')
  clock.advance(1_000)
  // As long as it runs the clock must stand still: it would count as one that hangs
  await until('it has failed again', () => starts().length === 2 && clock.nextInMs() === 60_000)
  write(LOOPING)
  clock.advance(60_000)
  await until('it works', () => source.latest().length === 2)
  t.equal(log.messages.length, 1)
})

t.test('a tool that hangs is ended', async (t) => {
  const { log, clock, starts } = sourceOf(t, 'exec sleep 60')
  await until('it runs', () => starts().length === 1)
  clock.advance(15_000)
  await until('it is said', () => log.messages.length === 1)
  t.match(log.messages[0], /nothing came from it for 15 s/)
})

t.test('it is found on the PATH, and its devices are those of the machine', async (t) => {
  const { dir } = toolOf(t, LOOPING)
  const devices = await createDevices({ log: recordedLog(), env: { PATH: dir } })
  t.teardown(() => devices.close())
  await until('both were read', async () => (await devices.known()).devices.length === 2)
  const { devices: found, memory } = await devices.look()
  t.same(
    found.map(({ name, source }) => [name, source]),
    [
      ['gpu0', 'nvidia'],
      ['gpu1', 'nvidia'],
    ],
  )
  t.ok((memory?.totalBytes ?? 0) > 0)
})

t.test('declared devices are the devices; what a tool tells of one by this name is kept', async (t) => {
  const { dir } = toolOf(t, LOOPING)
  const declared = new Map([
    ['gpu0', 2 ** 30],
    ['npu', 2 ** 31],
  ])
  const devices = await createDevices({ log: recordedLog(), env: { PATH: dir }, declared })
  t.teardown(() => devices.close())
  t.match((await devices.look()).devices, [
    { name: 'gpu0', totalBytes: 2 ** 30, usedBytes: 30 * 2 ** 20 },
    { name: 'npu', source: 'declared', totalBytes: 2 ** 31, usedBytes: null },
  ])
})

t.test('without any tool the memory of the machine is the one device', async (t) => {
  const devices = await createDevices({ log: recordedLog(), env: { PATH: scratch(t) }, root: scratch(t) })
  t.same((await devices.known()).devices, [])
  const real = await createDevices({ log: recordedLog(), env: { PATH: scratch(t) } })
  t.match((await real.known()).devices.at(-1), { source: /host|amd|apple/, totalBytes: Number, usedBytes: Number })
})

t.test('it does not share our process group: Ctrl-C in a terminal is no failure of it', async (t) => {
  const { dir, file, write } = toolOf(t, '')
  write(`ps -o pgid= -p $$ > '${dir}/group'; exec sleep 60`)
  const own = createNvidiaSource({ file, clock: createFakeTimers(), log: recordedLog() })
  t.teardown(() => own.close())
  const group = (): string => (existsSync(join(dir, 'group')) ? readFileSync(join(dir, 'group'), 'utf8').trim() : '')
  await until('it tells its group', () => group() !== '')
  const ours = execFileSync('ps', ['-o', 'pgid=', '-p', String(process.pid)])
    .toString()
    .trim()
  t.not(group(), ours)
})

t.test('a look that is expected finds its process at hand, and begins when it is wanted', async (t) => {
  const { source, starts, write } = sourceOf(t, LOOPING)
  await until('both were read', () => source.latest().length === 2)
  const before = starts().length
  const takeBack = source.expectRead()
  source.expectRead()
  write(LOOPING.replace('100, 30', '100, 77'))
  t.equal(starts().length, before, 'the tool does not run yet')
  t.same(usedOf(await source.read()), [77, 40])
  write(LOOPING.replace('100, 30', '100, 78'))
  t.same(usedOf(await source.read()), [78, 40], 'the next one has its own')
  t.equal(starts().length, before + 2)
  takeBack()
  const notWanted = source.expectRead()
  notWanted()
  await source.read()
  t.equal(starts().length, before + 3)
})
