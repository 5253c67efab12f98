import t from 'tap'
import { overheard } from '../../src/logs/overheard.ts'

t.test('all goes to the log, and warnings and errors are heard behind it', async (t) => {
  const told: unknown[] = []
  const line =
    (where: string) =>
    (...what: unknown[]): void =>
      void told.push([where, ...what])
  const log = overheard(
    { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    line('heard'),
  )
  log.debug({}, 'a')
  log.info({}, 'b')
  log.warn({ at: 1 }, 'c')
  log.error({ at: 2 }, 'd')
  t.same(told, [
    ['debug', {}, 'a'],
    ['info', {}, 'b'],
    ['warn', { at: 1 }, 'c'],
    ['heard', 'warn', { at: 1 }, 'c'],
    ['error', { at: 2 }, 'd'],
    ['heard', 'error', { at: 2 }, 'd'],
  ])
})
