import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { atEnd, scratch } from '@lswap/core/test-support'
import t from 'tap'
import { chat } from '../chat.ts'
import { fleet } from '../fleet.ts'
import { until } from '../until.ts'

t.setTimeout(120_000)

const run = (file: string, ...args: readonly string[]): boolean => {
  try {
    execFileSync(file, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const mount = (folder: string): boolean => run('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder)
const unmount = (folder: string): boolean => run('umount', '-l', folder)

const fill = (disk: string): void => {
  try {
    for (let at = 0; at < 64; at += 1) writeFileSync(join(disk, `fill-${at}`), 'x'.repeat(4_096))
  } catch {
    // It is full
  }
}

const probe = scratch(t)
const skip = mount(probe) && unmount(probe) ? false : 'mounting a small disk needs root on Linux'

t.test('an agent whose disk is full serves routers that come and go', { skip }, async (t) => {
  let disk = ''
  const rig = await fleet(
    t,
    { box: { a: '', b: '' } },
    {
      agentEnv: async (folder) => {
        disk = join(folder, 'state')
        mkdirSync(disk)
        mount(disk)
        // Before its folder is removed
        atEnd(t, () => unmount(disk))
        return {}
      },
    },
  )
  const host = rig.host('box')
  const first = await rig.router()
  t.equal((await chat(first.url, 'a')).status, 200)
  fill(disk)
  t.equal((await chat(first.url, 'b')).status, 200, 'a swap')
  const second = await rig.router()
  t.equal((await chat(second.url, 'a')).status, 200, 'another router takes over')
  await until('the first router knows', async () =>
    /another router has taken this host over/.test((await rig.lswap(first, 'ps')).stderr) ? true : undefined,
  )
  host.agent().signal('SIGTERM')
  const { code, stderr } = await host.agent().ended
  t.equal(code, 0)
  t.match(stderr, /ENOSPC/, 'said in the log')
})
