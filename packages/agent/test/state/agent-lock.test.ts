import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { takeAgentLock } from '../../src/state/agent-lock.ts'
import { startTimeOf } from '../../src/state/process-identity.ts'

t.test('refuses a second agent until the first lets go', async (t) => {
  const dir = scratch(t)
  const lock = await takeAgentLock(dir, 'boot')
  await t.rejects(takeAgentLock(dir, 'boot'), { code: 'state_in_use', message: new RegExp(`pid ${process.pid}`) })
  await lock.release()
  const again = await takeAgentLock(dir, 'boot')
  await again.release()
  t.same(await readdir(dir), [])
})

t.test('one of many at once gets it', async (t) => {
  const dir = scratch(t, { 'agent.lock': 'torn' })
  const taken = await Promise.allSettled(Array.from({ length: 8 }, () => takeAgentLock(dir, 'boot')))
  t.equal(taken.filter(({ status }) => status === 'fulfilled').length, 1)
})

t.test('takes over what a dead agent left', async (t) => {
  const startTime = await startTimeOf(process.pid)
  const holders = {
    'another boot': { pid: process.pid, startTime, bootId: 'before' },
    'a number given to somebody else': { pid: process.pid, startTime: '1', bootId: 'boot' },
    'no such process': { pid: 2 ** 22 + 1, startTime, bootId: 'boot' },
  }
  for (const [name, holder] of Object.entries(holders)) {
    const dir = scratch(t, { 'agent.lock': JSON.stringify(holder) })
    const lock = await takeAgentLock(dir, 'boot')
    await t.rejects(takeAgentLock(dir, 'boot'), { code: 'state_in_use' }, name)
    await lock.release()
  }
})

t.test('a directory that can not be written is the file system’s error', async (t) => {
  const dir = scratch(t)
  await writeFile(join(dir, 'file'), '')
  await t.rejects(takeAgentLock(join(dir, 'file'), 'boot'), { code: 'ENOTDIR' })
})
