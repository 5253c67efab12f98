import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import { armTool, runTool } from '../../src/devices/run-tool.ts'
import { until } from '../process/support/poll.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const ONLY_POSIX = { skip: process.platform === 'win32' ? 'a shell script is no program there' : false }
const ONLY_LINUX = { skip: process.platform === 'linux' ? false : 'looks into /proc' }
const signal = new AbortController().signal
const usual = { signal, limitMs: 60_000, maxBytes: 1_000 }

const tool = (t: Test, script: string): { readonly file: string; readonly isRunning: () => boolean } => {
  const dir = scratch(t)
  const file = join(dir, 'tool')
  writeFileSync(file, `#!/bin/sh\n: > '${dir}/running'\n${script}\n`, { mode: 0o755 })
  return { file, isRunning: () => existsSync(join(dir, 'running')) }
}

/** How many processes have this among their arguments. */
const processesOf = (file: string): number =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'latin1').split('\0').includes(file)
    } catch {
      return false
    }
  }).length

t.test('what a tool printed, with its arguments as they are', ONLY_POSIX, async (t) => {
  const { file } = tool(t, 'printf "%s\\n" "$@"; echo no news >&2')
  t.equal(await runTool(file, ['a b', '$HOME'], usual), 'a b\n$HOME\n')
})

t.test('nothing of a tool that fails or is not there', ONLY_POSIX, async (t) => {
  t.equal(await runTool(tool(t, 'echo half; exit 3').file, [], usual), undefined)
  t.equal(await runTool(tool(t, 'echo half; kill -9 $$').file, [], usual), undefined)
  t.equal(await runTool(join(scratch(t), 'nowhere'), [], usual), undefined)
})

t.test('a tool that hangs, or prints without an end, is ended', ONLY_POSIX, async (t) => {
  t.equal(await runTool(tool(t, 'echo half; exec sleep 3600').file, [], { ...usual, limitMs: 200 }), undefined)
  t.equal(await runTool(tool(t, 'exec yes').file, [], usual), undefined)
})

t.test('nobody waits for it when the signal fires', ONLY_POSIX, async (t) => {
  const controller = new AbortController()
  const { file, isRunning } = tool(t, 'exec sleep 3600')
  const printed = runTool(file, [], { ...usual, signal: controller.signal })
  await until('it runs', isRunning)
  controller.abort()
  t.equal(await printed, undefined)
  t.equal(await runTool(file, [], { ...usual, signal: controller.signal }), undefined)
})

t.test('a tool at hand runs at a word, with its arguments as they are and nothing to read', ONLY_POSIX, async (t) => {
  const { file, isRunning } = tool(t, 'printf "%s\\n" "$@"; cat')
  const armed = armTool(file, ['a b', '$HOME'], usual)
  t.notOk(isRunning())
  t.equal(await armed.run(), 'a b\n$HOME\n')
})

t.test('a tool at hand that is not needed never runs', ONLY_POSIX, async (t) => {
  const controller = new AbortController()
  const dropped = tool(t, 'echo it ran')
  const stopped = tool(t, 'echo it ran')
  const first = armTool(dropped.file, [], usual)
  const second = armTool(stopped.file, [], { ...usual, signal: controller.signal })
  first.drop()
  controller.abort()
  t.equal(await first.run(), undefined)
  t.equal(await second.run(), undefined)
  t.notOk(dropped.isRunning())
  t.notOk(stopped.isRunning())
})

t.test('a tool at hand is held to the same limits', ONLY_POSIX, async (t) => {
  const { file } = tool(t, 'exec sleep 3600')
  t.equal(await armTool(file, [], { ...usual, limitMs: 200 }).run(), undefined)
  t.equal(await armTool(join(scratch(t), 'nowhere'), [], usual).run(), undefined)
})

t.test('one that is not needed does not stay either', ONLY_LINUX, async (t) => {
  for (const way of ['dropped', 'stopped']) {
    const { file } = tool(t, 'exec sleep 3600')
    const controller = new AbortController()
    const armed = armTool(file, [], { ...usual, signal: controller.signal })
    await until('it waits', () => processesOf(file) === 1)
    if (way === 'dropped') armed.drop()
    else controller.abort()
    await until(`it is gone when ${way}`, () => processesOf(file) === 0)
    t.pass(way)
  }
})
