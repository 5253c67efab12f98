import { LOCAL_HOST, modelId, unloadId, type Failure, type StopOutcome } from '@lswap/core'
import t from 'tap'
import type { Fact } from '../../../src/router/loop/event-queue.ts'
import { createUnloads } from '../../../src/router/loop/unloads.ts'

const ALL = { drainMs: 'never', force: false } as const
const gone = (model: string): StopOutcome[] => [
  { placement: { model: modelId(model), host: LOCAL_HOST }, outcome: 'stopped' },
]

const rig = (onPost: (fact: Fact) => void = () => {}) => {
  const posted: Fact[] = []
  const unloads = createUnloads({
    post: (fact) => {
      posted.push(fact)
      onPost(fact)
    },
  })
  return { posted, unloads }
}

t.test('each unload has a number of its own, and each asker gets the answer to its own', async (t) => {
  const { posted, unloads } = rig()
  const first = unloads.ask([modelId('a')], { drainMs: 5, force: true })
  const second = unloads.ask('all', ALL)
  t.same(posted, [
    { type: 'unload-asked', unload: 1, targets: ['a'], drainMs: 5, force: true },
    { type: 'unload-asked', unload: 2, targets: 'all', drainMs: 'never', force: false },
  ])
  unloads.answer(unloadId(2), gone('b'))
  t.same(await second, gone('b'))
  unloads.answer(unloadId(1), gone('a'))
  t.same(await first, gone('a'))
})

t.test('an answer that comes while the event is being decided is heard', async (t) => {
  const { unloads } = rig((fact) => {
    if (fact.type === 'unload-asked') unloads.answer(fact.unload, gone('a'))
  })
  t.same(await unloads.ask('all', ALL), gone('a'))
})

t.test(
  'one that will not be decided fails with its cause; others still wait, and what comes late is nothing',
  async (t) => {
    const { unloads } = rig()
    const failure: Failure = { code: 'internal', message: 'A bug.' }
    const first = unloads.ask('all', ALL)
    const second = unloads.ask('all', ALL)
    unloads.fail(unloadId(1), failure)
    await t.rejects(first, failure)
    unloads.answer(unloadId(1), gone('a'))
    unloads.fail(unloadId(3), failure)
    unloads.answer(unloadId(2), [])
    t.same(await second, [])
  },
)
