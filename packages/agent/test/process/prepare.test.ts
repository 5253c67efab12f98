import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import { createPortBook } from '../../src/process/port-book.ts'
import { NO_RUN_FILES, type RunRecord } from '../../src/state/run-files.ts'
import { model } from './support/models.ts'
import { GONE, ownerOf } from './support/owners.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

/** An owner whose ports and run files can be looked at. */
const rig = (t: Test, settings: Parameters<typeof model>[1] = {}) => {
  const written: RunRecord[] = []
  const removed: string[] = []
  const files = {
    ...NO_RUN_FILES,
    write: async (record: RunRecord) => void written.push(record),
    remove: async (runId: string) => void removed.push(runId),
  }
  const definition = model('m', settings)
  const ports = createPortBook(new Set([definition.port]))
  const { owner, ...own } = ownerOf(t, definition, undefined, ports, files)
  const ready = () => own.ready()
  /** Whether a start could have the port of the model. */
  const isPortFree = async (): Promise<boolean> => {
    const got = await ports.take(definition.port)
    ports.release(got)
    return got === definition.port
  }
  return { owner, ready, definition, written, removed, isPortFree }
}

const stopped = { drainMs: 0, failure: GONE }

t.test('a start takes what was prepared for it: its port and its run file', async (t) => {
  const { owner, ready, written, removed, definition } = rig(t)
  const drop = owner.prepare()
  t.match(owner.view(), { phase: 'stopped', pid: undefined }, 'nothing is started')
  t.match(await ready(), { outcome: 'ready' })
  t.match(owner.view(), { url: `http://127.0.0.1:${definition.port}` })
  t.same(
    written.map(({ pid }) => pid),
    [0, owner.view().pid],
  )
  t.equal(new Set(written.map(({ runId }) => runId)).size, 1)
  await drop()
  t.same(removed, [], 'it is the process’ by now')
  await owner.ensureStopped(stopped)
  t.same(removed, [written[0]?.runId])
})

t.test('what no start took is given back', async (t) => {
  const { owner, written, removed, isPortFree } = rig(t)
  const drop = owner.prepare()
  const again = owner.prepare()
  await again()
  t.same(removed, [], 'only whoever began it ends it')
  await drop()
  t.same(
    removed,
    written.map(({ runId }) => runId),
  )
  t.equal(removed.length, 1)
  t.ok(await isPortFree())
})

t.test('what was prepared for another definition is given back, and the start has its own', async (t) => {
  const { owner, ready, definition, written, removed } = rig(t)
  owner.prepare()
  owner.redefine({ ...definition, onAgentExit: 'keep', forceKill: false })
  t.match(await ready(), { outcome: 'ready' })
  const [first, second] = written
  t.same(removed, [first?.runId])
  t.notMatch(first, { kindly: 'SIGTERM' })
  t.match(second, { kindly: 'SIGTERM' })
})

t.test('a command that was wrong when it was prepared is looked at anew by the start', async (t) => {
  const file = join(scratch(t), 'engine')
  const { owner, ready } = rig(t, { cmd: `${file} --port \${PORT}` })
  const drop = owner.prepare()
  await drop()
  owner.prepare()
  writeFileSync(file, '#!/bin/sh\nexit 7\n', { mode: 0o755 })
  t.match(await ready(), { outcome: 'failed', failure: { message: /exited with code 7/ } })
})

t.test('a process that is there needs no preparation', async (t) => {
  const { owner, ready, written } = rig(t)
  await ready()
  await owner.prepare()()
  t.equal(written.length, 2)
})

t.test('a start that can not be spawned gives back what was prepared', async (t) => {
  const interpreter = join(scratch(t), 'engine')
  writeFileSync(interpreter, '#!/nowhere/interpreter\n', { mode: 0o755 })
  // One argument that is too long is thrown, an interpreter that is missing is told as an event
  for (const cmd of [`'${process.execPath}' -e 1 ${'x'.repeat(200_000)}`, `${interpreter} --port \${PORT}`]) {
    const { ready, written, removed, isPortFree } = rig(t, { cmd, proxy: undefined })
    t.match(await ready(), { outcome: 'failed', failure: { code: 'start_failed', message: /could not be spawned/ } })
    t.same(
      removed,
      written.map(({ runId }) => runId),
    )
    t.equal(removed.length, 1)
    t.ok(await isPortFree())
  }
})
