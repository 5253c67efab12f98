import t from 'tap'
import { createRefusals } from '../../src/server/refusals.ts'
import type { Logger } from '../../src/logs/logger.ts'

const quiet = (): void => {}

t.test('who is not let in is told once, and then once a minute with how often', async (t) => {
  const lines: object[] = []
  const log: Logger = { debug: quiet, info: quiet, error: quiet, warn: (fields) => lines.push(fields) }
  let now = 0
  const refusals = createRefusals({ log, timers: { now: () => now } })
  const note = (from: string, message = 'no'): void =>
    refusals.note({ socket: { remoteAddress: from } as never }, { code: 'unauthorized', message })
  for (let times = 0; times < 100; times += 1) note('10.0.0.1')
  note('10.0.0.2')
  note('10.0.0.1', 'another reason')
  t.same(
    lines.map((line) => (line as { from: string }).from),
    ['10.0.0.1', '10.0.0.2', '10.0.0.1'],
  )
  now = 60_000
  note('10.0.0.1')
  t.match(lines[3], { from: '10.0.0.1', code: 'unauthorized', more: 99 })
})
