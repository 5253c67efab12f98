import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { scratch } from './scratch.ts'

/** Stands for a test, and ends when it is told to. */
const made = () => {
  const ends: (() => unknown)[] = []
  const end = async (): Promise<void> => {
    for (const each of ends.toReversed()) await each()
  }
  return { teardown: (each: () => unknown) => void ends.push(each), end }
}

/** A process that runs until it is killed, with a word of its command. */
const lasting = async (word: string) => {
  const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1e3)', word], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {},
  })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

const linux = { skip: process.platform === 'linux' ? false : 'only Linux tells who uses a folder' }

t.test('has what it was given, one of its own each time, and is gone after the end', async (t) => {
  const test = made()
  const folder = scratch(test, { 'a.txt': 'a', b: { c: Buffer.from('c') } })
  const other = scratch(test)
  t.not(folder, other)
  t.equal(readFileSync(join(folder, 'a.txt'), 'utf8') + readFileSync(join(folder, 'b', 'c'), 'utf8'), 'ac')
  await test.end()
  t.same([folder, other].map(existsSync), [false, false])
})

t.test('what was registered after it ends first, and may still write there', async (t) => {
  let folder = ''
  let wasThere = false
  await t.test('a test', async (inner) => {
    folder = scratch(inner)
    inner.teardown(async () => {
      await new Promise((resolve) => setImmediate(resolve))
      wasThere = existsSync(folder)
    })
    inner.ok(existsSync(folder))
  })
  t.equal(wasThere, true)
  t.notOk(existsSync(folder))
})

t.test('it waits for the end of a process that has to do with it', linux, async (t) => {
  const test = made()
  const folder = scratch(test)
  const child = await lasting(join(folder, 'journal'))
  const ended = test.end()
  let isOver = false
  void ended.then(() => (isOver = true))
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(isOver, false)
  t.ok(existsSync(folder))
  child.kill('SIGKILL')
  await ended
  t.notOk(existsSync(folder))
})

t.test('a process that stays is named and killed, and the folder is removed', linux, async (t) => {
  const test = made()
  const folder = scratch(test, {}, 0)
  const child = await lasting(folder)
  const exit = once(child, 'exit')
  await t.rejects(test.end(), { message: new RegExp(`left running in ${folder}: ${child.pid} .*node.* ${folder}`) })
  t.same(await exit, [null, 'SIGKILL'])
  t.notOk(existsSync(folder))
})
