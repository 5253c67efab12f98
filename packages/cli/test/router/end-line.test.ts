import t from 'tap'
import { ANONYMOUS, requestId } from '@lswap/core'
import type { Call } from '../../src/router/call.ts'
import { logEnd } from '../../src/router/end-line.ts'
import type { Log } from '../../src/router/log.ts'

/** On which level the end of a call is told. */
const levelOf = (route: string, status: number, isWanted = true): string => {
  const levels: string[] = []
  const note = (level: string) => (): void => {
    levels.push(level)
  }
  const log: Log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
  const facts = { route, caller: ANONYMOUS } as unknown as Call['facts']
  logEnd(log, { id: requestId(1), method: 'GET', facts }, { status, durationMs: 1, isWanted })
  return levels.join(' ')
}

t.test('what serves or changes something is told, what only looks is for who debugs', async (t) => {
  t.same([levelOf('inference', 200), levelOf('unload', 200), levelOf('running', 200)], ['info', 'info', 'debug'])
  t.equal(levelOf('running', 403), 'info', 'what is refused is told in any case')
})

t.test('without logRequests inference is told only where it fails, and the rest as ever', async (t) => {
  t.same([levelOf('inference', 200, false), levelOf('inference', 499, false)], ['debug', 'info'])
  t.equal(levelOf('unload', 200, false), 'info')
})

t.test('whoever watched leaves in the end: each load and each dashboard does', async (t) => {
  t.same([levelOf('events', 499), levelOf('logs', 499)], ['debug', 'debug'])
  t.equal(levelOf('events', 401), 'info')
})
