import t from 'tap'
import { noticedLog } from '../../src/server/notices.ts'
import { recordedLog } from '../process/support/recorded-log.ts'

t.test('warnings and errors are told on, the same again only after a while', async (t) => {
  let now = 0
  const log = recordedLog()
  const noticed = noticedLog(
    log,
    (text) => text.replaceAll('swordfish', '***'),
    () => now,
  )
  const told: unknown[] = []
  const leave = noticed.listen((notice) => told.push(notice))
  noticed.log.info({}, 'nothing to worry about')
  noticed.log.warn({ model: 'a', reason: 'no disk' }, 'could not write')
  noticed.log.warn({ model: 'a', reason: 'no disk' }, 'could not write')
  noticed.log.error({ err: new Error('x swordfish') }, 'bug')
  t.same(told, [
    { level: 'warn', text: 'could not write: no disk', model: 'a' },
    { level: 'error', text: 'bug: x ***', model: null },
  ])
  now += 60_000
  noticed.log.warn({ model: 'a', reason: 'no disk' }, 'could not write')
  t.equal(told.length, 3)
  leave()
  noticed.log.error({}, 'late')
  t.equal(told.length, 3)
  t.equal(log.messages.length >= 5, true, 'the log has them all')
})
