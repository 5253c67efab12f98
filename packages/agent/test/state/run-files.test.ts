import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { SILENT } from '../../src/logs/logger.ts'
import { openRunFiles } from '../../src/state/run-files.ts'
import type { RunRecord } from '../../src/state/run-files.ts'
import { recordedLog } from '../process/support/recorded-log.ts'

const RECORD: RunRecord = {
  runId: 'run-1',
  pid: 7,
  startTime: '123',
  bootId: 'boot',
  argvHash: 'abc',
  port: 5_800,
  model: 'a/b',
  onAgentExit: 'stop',
}

t.test('what was written is read until it is removed', async (t) => {
  const dir = scratch(t)
  const runs = await openRunFiles(dir, SILENT)
  await runs.write(RECORD)
  t.same(await runs.readAll(), [RECORD])
  t.equal((await stat(join(dir, 'run'))).mode & 0o777, 0o700)
  t.same(await readdir(join(dir, 'run')), ['run-1.json'], 'no draft is left')
  await runs.remove('run-1')
  await runs.remove('run-1')
  t.same(await runs.readAll(), [])
})

t.test('torn and foreign files are cleared away', async (t) => {
  const dir = scratch(t, {
    run: { 'torn.json': '{"pid":', 'null.json': 'null', 'other.json': JSON.stringify(RECORD), 'x.json.new': '' },
  })
  const runs = await openRunFiles(dir, SILENT)
  t.same(await runs.readAll(), [])
  t.same(await readdir(join(dir, 'run')), [])
})

t.test('a file that can not be written is logged and nothing more', async (t) => {
  const dir = scratch(t)
  const log = recordedLog()
  const runs = await openRunFiles(dir, log)
  await rm(join(dir, 'run'), { recursive: true })
  await writeFile(join(dir, 'run'), '')
  await runs.write(RECORD)
  t.match(log.messages, [/^warn the run file could not be written/])
  t.same(await runs.readAll(), [])
})
