import t from 'tap'
import { stepOf } from '../../../src/commands/load/progress.ts'
import type { RunningModel } from '../../../src/client/running.ts'

const model = (name: string, state: string, inFlight = 0): RunningModel => ({
  model: name,
  state,
  host: 'local',
  pid: undefined,
  memoryBytes: undefined,
  inFlight,
  waiting: undefined,
  idleMs: undefined,
  untilMs: undefined,
  pinned: false,
})

t.test('tells what a load waits for', (t) => {
  t.equal(stepOf('a', [model('b', 'ready', 2)]), 'waiting for b to finish running requests…')
  t.equal(stepOf('a', [model('b', 'stopping', 1)]), 'b stops to make room…')
  t.equal(stepOf('a', [model('b', 'loading')]), 'waiting for b to load…')
  t.equal(stepOf('a', [model('b', 'stopping'), model('c', 'stopping')]), 'b, c stops to make room…')
  t.end()
})

t.test('has nothing to tell while it loads', (t) => {
  t.equal(stepOf('a', [model('a', 'loading'), model('b', 'ready', 2)]), undefined)
  t.equal(stepOf('a', []), undefined)
  t.end()
})
