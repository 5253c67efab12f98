import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { createProcessMemories } from '../../src/process/process-memory.ts'
import { memoryNow, startTimeNow, treeOf } from '../../src/process/process-table.ts'

const ONLY_LINUX = { skip: process.platform === 'linux' ? false : 'reads the files of Linux' }
/** Less than any process of Node needs, more than one varies by while nothing happens. */
const MEBIBYTE = 2 ** 20

/** A clock that a test moves, and how often it was looked who is below whom. */
const rig = (tree = treeOf) => {
  const state = { now: 50_000, looks: 0 }
  const memories = createProcessMemories({
    clock: { now: () => state.now },
    tree: (root) => {
      state.looks += 1
      return tree(root)
    },
  })
  return { state, memories }
}

t.test('several parts of one look get one reading, the next look gets a new one', ONLY_LINUX, async (t) => {
  const { state, memories } = rig()
  const first = memories.of(process.pid)
  t.ok(first !== undefined && first.residentBytes > MEBIBYTE && first.anonymousBytes > MEBIBYTE)
  t.ok(first !== undefined && first.anonymousBytes < first.residentBytes, 'files are not anonymous')
  state.now += 99
  t.equal(memories.of(process.pid), first)
  state.now += 1
  t.not(memories.of(process.pid), first)
})

t.test('who is below a process is looked up every two seconds, and counts from then on', ONLY_LINUX, async (t) => {
  const { state, memories } = rig()
  const alone = memories.of(process.pid)?.anonymousBytes ?? 0
  const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await once(child.stdout, 'data')
  const own = memoryNow(child.pid ?? 0)?.anonymousBytes ?? 0
  t.ok(own > 4 * MEBIBYTE)
  for (let at = 500; at < 2_000; at += 500) {
    state.now = 50_000 + at
    memories.of(process.pid)
  }
  t.equal(state.looks, 1)
  state.now = 52_000
  const both = memories.of(process.pid)?.anonymousBytes ?? 0
  t.equal(state.looks, 2)
  t.ok(both > alone + own / 2, `${both} with the child, ${alone} before`)
})

t.test('a number that is somebody else’s by now is not read', ONLY_LINUX, async (t) => {
  const startTime = startTimeNow(process.pid) ?? ''
  const root = { pid: process.pid, startTime, group: 0 }
  const stranger = { pid: process.ppid, startTime: '1', group: 0 }
  const { memories } = rig(() => [root, stranger])
  const alone = memoryNow(process.pid)?.residentBytes ?? 0
  const theirs = memoryNow(process.ppid)?.residentBytes ?? 0
  t.ok(theirs > 0)
  t.equal(Math.round(((memories.of(process.pid)?.residentBytes ?? 0) - alone) / theirs), 0)
})
