import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generation } from '@lswap/core'
import { atEnd, scratch } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import { fakeCommand, model } from '../process/support/models.ts'
import { runs } from '../process/support/poll.ts'
import { agentOf } from './support/agents.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const run = (file: string, args: readonly string[]): boolean => {
  try {
    execFileSync(file, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A folder that is a disk of 64 KiB, and what takes it away again; undefined where only somebody else may mount one. */
const mountSmall = (): { readonly disk: string; readonly remove: () => void } | undefined => {
  const disk = mkdtempSync(join(tmpdir(), 'small-disk-'))
  const isMounted = run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
  const remove = (): void => {
    if (isMounted) run('umount', ['-l', disk])
    rmSync(disk, { recursive: true, force: true })
  }
  if (isMounted) return { disk, remove }
  remove()
  return undefined
}

const tried = mountSmall()
tried?.remove()
const options = { skip: tried === undefined ? 'mounting a small disk needs root on Linux' : false }

const smallDisk = (t: Test): string => {
  const { disk, remove } = mountSmall() ?? { disk: scratch(t), remove: () => {} }
  atEnd(t, remove)
  return disk
}

const fill = (disk: string): void => {
  try {
    for (let at = 0; at < 64; at += 1) writeFileSync(join(disk, `fill-${at}`), 'x'.repeat(4_096))
  } catch {
    // It is full.
  }
}

t.test(
  'a disk that fills up under an agent costs the protection against crashes, and serves on',
  options,
  async (t) => {
    const disk = smallDisk(t)
    const plain = model('plain')
    const kept = model('kept', { cmd: fakeCommand('--log-rate 200'), onAgentExit: 'keep' })
    const { agent, order, log, next } = await agentOf(t, [plain, kept], join(disk, 'state'))
    fill(disk)
    t.match(await agent.swap(order(plain)), { outcome: 'ready' })
    t.match(await agent.swap(order(kept)), { outcome: 'ready' })
    t.match(log.messages.join('\n'), /the run file could not be written/)
    const pids = (await agent.processes()).map(({ pid }) => pid ?? 0)
    const stopped = await agent.stop({ generation: next(), models: [plain.id, kept.id], drainMs: 0 })
    t.match(stopped, [{ outcome: 'stopped' }, { outcome: 'stopped' }])
    for (const pid of pids) t.notOk(await runs(pid))
  },
)

t.test('an agent starts with a disk that is full already, and says what that costs', options, async (t) => {
  const disk = smallDisk(t)
  fill(disk)
  const plain = model('plain')
  const { agent, order, log } = await agentOf(t, [plain], join(disk, 'state'))
  t.match(await agent.swap(order(plain)), { outcome: 'ready' })
  t.match(log.messages[0], /state directory|run file|crash of the agent/)
  t.match(await agent.stop({ generation: generation(50), models: [plain.id], drainMs: 0 }), [{ outcome: 'stopped' }])
})
