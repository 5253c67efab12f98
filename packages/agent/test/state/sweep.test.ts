import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import { SILENT } from '../../src/logs/logger.ts'
import { readBootId, startTimeOf } from '../../src/state/process-identity.ts'
import { openRunFiles } from '../../src/state/run-files.ts'
import type { RunRecord } from '../../src/state/run-files.ts'
import { RUN_VARIABLE, sweepSurvivors } from '../../src/state/sweep.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const ONLY_LINUX = { skip: process.platform === 'linux' ? false : 'needs /proc' }

interface Orphan {
  readonly child: ChildProcess
  readonly pid: number
  readonly record: RunRecord
  readonly ended: Promise<unknown>
  /** The first line of its output. */
  readonly line: Promise<string>
}

const orphan = async (t: Test, script: string, changes: Partial<RunRecord> = {}): Promise<Orphan> => {
  const runId = changes.runId ?? `run-${process.pid}-${Math.trunc(performance.now() * 1_000)}`
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: '', [RUN_VARIABLE]: runId }
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env })
  const pid = child.pid ?? 0
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const line = new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())),
  )
  t.teardown(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL')
  })
  const startTime = (await startTimeOf(pid)) ?? ''
  const bootId = await readBootId()
  const record = {
    runId,
    pid,
    startTime,
    bootId,
    argvHash: '',
    port: 1,
    model: 'm',
    onAgentExit: 'stop',
    ...changes,
  } as const
  return { child, pid, record, ended, line }
}

const sweep = async (t: Test, record: RunRecord): Promise<readonly RunRecord[]> => {
  const runs = await openRunFiles(scratch(t), SILENT)
  await runs.write(record)
  await sweepSurvivors({ runs, bootId: await readBootId(), log: SILENT })
  return runs.readAll()
}

t.test('ends a survivor with its group, also one that ignores SIGTERM', async (t) => {
  const { record, ended, line } = await orphan(t, 'trap "" TERM; sleep 60 & echo $!; wait; wait')
  const grandchild = Number(await line)
  t.same(await sweep(t, record), [])
  await ended
  t.equal(await startTimeOf(grandchild), undefined)
})

t.test('one that must not be killed is asked by its own signal, and left alone when it does not end', async (t) => {
  const asked = await orphan(t, 'trap "exit 3" INT; echo up; while :; do sleep 0.05; done')
  await asked.line
  t.same(await sweep(t, { ...asked.record, kindly: 'SIGINT' }), [])
  t.equal(await asked.ended, 3)
  const deaf = await orphan(t, 'trap "" INT; echo up; while :; do sleep 0.05; done')
  await deaf.line
  t.match(await sweep(t, { ...deaf.record, kindly: 'SIGINT' }), [{ pid: deaf.pid }])
  t.equal(deaf.child.exitCode ?? deaf.child.signalCode, null)
})

t.test('a stranger that got the number survives', async (t) => {
  const { record, child, pid } = await orphan(t, 'exec sleep 60')
  t.same(await sweep(t, { ...record, runId: 'other', startTime: `${record.startTime}0` }), [])
  t.same(await sweep(t, { ...record, runId: 'other', bootId: 'another boot' }), [])
  t.equal(child.exitCode, null)
  t.equal(await startTimeOf(pid), record.startTime)
})

t.test('finds what outlived the process of the run file, by its environment', ONLY_LINUX, async (t) => {
  const { record, line, ended } = await orphan(t, 'setsid sleep 60 & echo $!')
  const stray = Number(await line)
  await ended
  t.type(await startTimeOf(stray), 'string')
  t.same(await sweep(t, record), [])
  t.equal(await startTimeOf(stray), undefined)
})

t.test('finds what was spawned by an agent that could not write its number down any more', ONLY_LINUX, async (t) => {
  const { record, pid, ended, line } = await orphan(t, 'echo up; sleep 60')
  await line
  // One that is to be kept as well: nobody knows whether it ever became ready
  t.same(await sweep(t, { ...record, pid: 0, startTime: '', onAgentExit: 'keep' }), [])
  await ended
  t.equal(await startTimeOf(pid), undefined)
})

t.test('onAgentExit: keep is left alone, and handed on', async (t) => {
  const { record, child } = await orphan(t, 'exec sleep 60', { onAgentExit: 'keep' })
  const runs = await openRunFiles(scratch(t), SILENT)
  await runs.write(record)
  t.same(await sweepSurvivors({ runs, bootId: await readBootId(), log: SILENT }), [record])
  t.same(await runs.readAll(), [record])
  t.equal(child.exitCode, null)
})

t.test('a run file of a process that ended is removed', async (t) => {
  const { record, ended } = await orphan(t, 'exit 0')
  await ended
  t.same(await sweep(t, record), [])
})
