import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import type { Ledger } from '../../src/fake/ledger.ts'
import { createLedger, readLedger, releaseMemory, takeMemory } from '../../src/fake/ledger.ts'

t.test('memory is taken as long as it lasts', async (t) => {
  const file = join(scratch(t), 'gpu.json')
  createLedger(file, 24)
  t.ok(takeMemory(file, { pid: process.pid, mb: 20, releaseMs: 0 }))
  t.notOk(takeMemory(file, { pid: process.ppid, mb: 5, releaseMs: 0 }))
  t.same(readLedger(file), { totalMb: 24, usedMb: 20 })
  releaseMemory(file, process.pid)
  t.same(readLedger(file), { totalMb: 24, usedMb: 0 })
})

t.test('memory is free only some time after its holder ended', async (t) => {
  const file = join(scratch(t), 'gpu.json')
  createLedger(file, 24)
  takeMemory(file, { pid: process.pid, mb: 20, releaseMs: 60_000 })
  releaseMemory(file, process.pid)
  t.equal(readLedger(file).usedMb, 20)
  const ledger = JSON.parse(readFileSync(file, 'utf8')) as Ledger
  const earlier = ledger.holders.map((holder) => ({ ...holder, endedAt: (holder.endedAt ?? 0) - 60_000 }))
  writeFileSync(file, JSON.stringify({ ...ledger, holders: earlier }))
  t.equal(readLedger(file).usedMb, 0)
})

t.test('the memory of a holder that was killed comes back as well', async (t) => {
  const file = join(scratch(t), 'gpu.json')
  createLedger(file, 24)
  const holder = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  t.ok(takeMemory(file, { pid: holder.pid ?? 0, mb: 24, releaseMs: 0 }))
  t.equal(readLedger(file).usedMb, 24)
  holder.kill('SIGKILL')
  await once(holder, 'close')
  t.equal(readLedger(file).usedMb, 0)
})

t.test('a lock that nobody gives back is taken over', async (t) => {
  const file = join(scratch(t), 'gpu.json')
  createLedger(file, 24)
  writeFileSync(`${file}.lock`, '')
  t.throws(() => readLedger(file), /stayed locked/)
  const long = new Date(Date.now() - 60_000)
  utimesSync(`${file}.lock`, long, long)
  t.equal(readLedger(file).usedMb, 0)
})
