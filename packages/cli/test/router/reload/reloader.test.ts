import type { Config, ConfigReading } from '@lswap/core'
import t from 'tap'
import type { ReloadOutcome } from '../../../src/router/reload/outcome.ts'
import { createReloader } from '../../../src/router/reload/reloader.ts'
import { config, model } from '../support/config.ts'
import { recordingLog } from '../support/log.ts'

const good = (...ids: readonly string[]): ConfigReading => ({
  ok: true,
  config: config(ids.map((id) => model(id))),
  warnings: [],
})

/** A reloader whose readings the test lets end, one after the other. */
const rig = (apply: (config: Config) => void = () => {}) => {
  const log = recordingLog()
  const reads: ((reading: ConfigReading) => void)[] = []
  const applied: string[] = []
  const outcomes: boolean[] = []
  const reloader = createReloader({
    config: config([model('a')]),
    read: () => new Promise((resolve) => reads.push(resolve)),
    apply: (next) => {
      apply(next)
      applied.push(next.models.map(({ id }) => id).join())
    },
    log,
    onOutcome: ({ ok }) => outcomes.push(ok),
  })
  return { reloader, log, reads, applied, outcomes }
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

t.test('one reload at a time; those that are asked for meanwhile become one that follows', async (t) => {
  const { reloader, log, reads, applied } = rig()
  const first = reloader.reload('SIGHUP')
  await turn()
  const rest = [
    reloader.reload('POST /api/reload'),
    reloader.reload('the file changed'),
    reloader.reload('POST /api/reload'),
  ]
  await turn()
  t.equal(reads.length, 1)
  reads[0]?.(good('a', 'b'))
  t.match(await first, { ok: true, changes: { models: { added: ['b'] } } })
  await turn()
  t.equal(reads.length, 2, 'what was asked for after a reading began is read anew')
  reads[1]?.(good('a', 'c'))
  const outcomes = await Promise.all(rest)
  for (const outcome of outcomes) t.equal(outcome, outcomes[0])
  t.match(outcomes[0], { changes: { models: { added: ['c'], removed: ['b'] } } }, 'compared with what runs by then')
  t.same(applied, ['a,b', 'a,c'])
  t.match(log.lines.at(-1), { fields: { cause: 'POST /api/reload, the file changed' } })
  t.equal(reads.length, 2)
})

t.test('several that are asked for at once are one', async (t) => {
  const { reloader, reads } = rig()
  const all = [reloader.reload('SIGHUP'), reloader.reload('SIGHUP')]
  await turn()
  reads[0]?.(good('a'))
  await Promise.all(all)
  await turn()
  t.equal(reads.length, 1)
})

t.test('a bad one is compared with by nobody, and a good one follows it', async (t) => {
  const { reloader, reads, applied, outcomes } = rig()
  const bad = reloader.reload('SIGHUP')
  await turn()
  reads[0]?.({ ok: false, issues: [] })
  t.match(await bad, { ok: false, failure: { code: 'invalid_config' }, issues: [] })
  const next = reloader.reload('SIGHUP')
  await turn()
  reads[1]?.(good('b'))
  t.match(await next, { changes: { models: { added: ['b'], removed: ['a'] } } })
  t.same([applied, outcomes], [['b'], [false, true]])
})

t.test('one that can not be read or not be taken over changes nothing', async (t) => {
  const failing = createReloader({
    config: config([model('a')]),
    read: () => Promise.reject(new Error('no disk')),
    apply: () => {},
    log: recordingLog(),
    onOutcome: () => {},
  })
  t.match(await failing.reload('SIGHUP'), { ok: false, failure: { message: 'no disk' } })
  const { reloader, reads } = rig(() => {
    throw new Error('refused')
  })
  const outcomes: ReloadOutcome[] = []
  for (const at of [0, 1]) {
    const asked = reloader.reload('SIGHUP')
    await turn()
    reads[at]?.(good('b'))
    outcomes.push(await asked)
  }
  t.match(
    outcomes,
    [{ failure: { message: 'refused' } }, { failure: { message: 'refused' } }],
    'and is tried each time',
  )
})

t.test('what is the same is not taken over', async (t) => {
  const { reloader, reads, applied } = rig()
  const asked = reloader.reload('SIGHUP')
  await turn()
  reads[0]?.(good('a'))
  t.match(await asked, { ok: true, changes: { models: { unchanged: ['a'] } } })
  t.same(applied, [])
})

t.test('a model keeps its port when another one is added', async (t) => {
  const ports: number[] = []
  const { reloader, reads } = rig((next) => ports.push(...next.models.map(({ port }) => port)))
  const asked = reloader.reload('SIGHUP')
  await turn()
  reads[0]?.({ ok: true, config: config([model('a', { port: 5_801 }), model('0', { port: 5_800 })]), warnings: [] })
  await asked
  t.same(ports, [5_800, 5_801])
})
