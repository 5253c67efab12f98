import { createLogRing, followLog, type LogRing } from '@lswap/agent'
import { modelId, type ModelId } from '@lswap/core'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { createEngineOutput, type EngineOutput } from '../../../src/commands/serve/engine-output.ts'
import { config, model as aModel } from '../../router/support/config.ts'

interface Rig {
  readonly engines: EngineOutput
  readonly print: (model: string, line: string) => Promise<void>
  readonly show: (logTo: 'proxy' | 'upstream' | 'both' | 'none', ...models: readonly string[]) => void
  readonly shown: () => string
}

const rig = (isJson = false): Rig => {
  const rings = new Map<ModelId, LogRing>()
  const ringOf = (model: ModelId): LogRing => {
    const ring = rings.get(model) ?? createLogRing(10_000)
    rings.set(model, ring)
    return ring
  }
  let shown = ''
  const output = {
    write: (text: string, done?: () => void) => {
      shown += text
      done?.()
      return true
    },
  }
  const engines = createEngineOutput({ output, isJson, onLoss: () => {} })
  const agent = {
    followLogs: (model: ModelId, options: Parameters<typeof followLog>[1]) => followLog(ringOf(model), options),
  }
  return {
    engines,
    print: async (model, line) => {
      ringOf(modelId(model)).push(Buffer.from(line))
      await nextTurn()
      await nextTurn()
    },
    show: (logTo, ...ids) => {
      const models = ids.map((id) => aModel(id))
      engines.show(config(models, { logTo }), agent)
    },
    shown: () => shown,
  }
}

t.test('what engines print is shown from the start on, and says whose it is', async (t) => {
  for (const logTo of ['upstream', 'both'] as const) {
    const { engines, print, show, shown } = rig()
    show(logTo, 'a', 'b')
    await print('a', 'loading')
    await print('b', 'ready')
    await engines.end()
    t.equal(shown(), 'a | loading\nb | ready\n', logTo)
  }
})

t.test('only where it is asked for', async (t) => {
  const { print, show, shown } = rig()
  show('proxy', 'a')
  await print('a', 'one')
  show('none', 'a')
  await print('a', 'two')
  t.equal(shown(), '')
})

t.test('a reload starts and ends it, also for models that come and go', async (t) => {
  const { engines, print, show, shown } = rig()
  show('proxy', 'a')
  await print('a', 'before')
  show('both', 'a')
  await print('a', 'one')
  show('both', 'a', 'b')
  await print('a', 'two')
  await print('b', 'three')
  show('both', 'b')
  await print('a', 'gone')
  show('proxy', 'b')
  await print('b', 'quiet')
  await engines.end()
  t.equal(shown(), 'a | one\na | two\nb | three\n')
})

t.test('JSON has a line for each', async (t) => {
  const { engines, print, show, shown } = rig(true)
  show('upstream', 'a')
  await print('a', 'started')
  await engines.end()
  t.same(JSON.parse(shown()), { source: 'a', line: 'started' })
})

t.test('the last words of an engine are told', async (t) => {
  const { engines, print, show, shown } = rig()
  show('both', 'a')
  const printed = print('a', 'bye')
  await engines.end()
  t.equal(shown(), 'a | bye\n')
  await printed
})
