import { appendFileSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import { olderOutput, tailFile } from '../../src/logs/file-tail.ts'
import type { FileTailOptions } from '../../src/logs/file-tail.ts'
import { until } from '../process/support/poll.ts'

const tailed = (t: Test, before = '', options: Partial<FileTailOptions> = {}) => {
  const path = join(scratch(t), 'output')
  writeFileSync(path, before)
  const tail = tailFile({ path, ...options })
  t.teardown(() => tail.release())
  let text = ''
  tail.stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const closed = new Promise<void>((resolve) => tail.stream.once('close', resolve))
  return { path, tail, closed, text: () => text }
}

t.test('reads what is written as it comes', async (t) => {
  const { path, text } = tailed(t)
  appendFileSync(path, 'one\n')
  await until('the first line is there', () => text() === 'one\n')
  appendFileSync(path, 'two\n')
  await until('the second line is there', () => text() === 'one\ntwo\n')
  t.equal(text(), 'one\ntwo\n')
})

t.test('the file stays small, and no line is lost or read twice', async (t) => {
  const { path, text } = tailed(t, '', { maxFileBytes: 1_000 })
  const lines: string[] = []
  for (let round = 0; round < 5; round += 1) {
    const more = Array.from({ length: 40 }, (_, at) => `line ${round * 40 + at}`)
    lines.push(...more)
    appendFileSync(path, `${more.join('\n')}\n`)
    await until('the round is read', () => text().split('\n').length === lines.length + 1)
  }
  t.equal(text(), `${lines.join('\n')}\n`)
  t.ok(statSync(path).size < 1_500)
  t.ok(existsSync(olderOutput(path)), 'what was cut away is beside it')
})

t.test('at the end the rest is read at once', async (t) => {
  const { path, tail, closed, text } = tailed(t)
  appendFileSync(path, 'x'.repeat(200_000))
  tail.end()
  await closed
  t.equal(text().length, 200_000)
})

t.test('who takes over a process reads its last lines again', async (t) => {
  const { tail, closed, text } = tailed(t, `${'x'.repeat(300_000)}last\n`, { recall: true })
  tail.end()
  await closed
  t.match(text(), /last\n$/)
  t.ok(text().length < 300_000)
})
