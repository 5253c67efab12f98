import t from 'tap'
import { createScheduler, schedulerOptions } from '../../src/index.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { configOf } from '../config/reading.ts'

const MODELS = [
  'models:',
  '  a: { cmd: "x ${PORT}", ttl: 5, concurrencyLimit: 3, queueLimit: 7, pinned: true, priority: 9 }',
  '  b: { cmd: "y ${PORT}" }',
  '',
].join('\n')

t.test('a model keeps what the scheduler reads of it', async (t) => {
  const text = `${MODELS}routing: { scheduler: { use: fifo, settings: { fifo: { priority: { a: 4 } } } } }`
  const [a, b] = schedulerOptions(configOf(text)).models
  t.match(a, { id: 'a', hosts: ['local'], concurrencyLimit: 3, queueLimit: 7, idleMs: 5000, priority: 4, pinned: true })
  t.match(b, { id: 'b', queueLimit: 512, priority: 0, pinned: false })
  t.notOk(Object.hasOwn(b ?? {}, 'idleMs'))
  t.not(a?.commandHash, b?.commandHash)
})

t.test('agents on other machines have definitions of their own', async (t) => {
  const text = `${MODELS}agents: [{ id: gpu, url: "http://127.0.0.1:1", tokenFile: token }]\n`
  const reading = readConfig(text, { file: 'c.yaml', env: {}, readKeyFile: (name) => ({ ok: true, text: name }) })
  if (!reading.ok) throw new Error('it is a good one')
  t.match(schedulerOptions(reading.config).models[0], { hosts: ['local', 'gpu'], definedAt: ['gpu'] })
  t.notOk(Object.hasOwn(schedulerOptions(configOf(MODELS)).models[0] ?? {}, 'definedAt'))
})

t.test('a model that comes back by itself does so', async (t) => {
  t.equal(
    schedulerOptions(configOf('models: { a: { cmd: "x ${PORT}", restoreAfter: 60 } }')).models[0]?.restoreMs,
    60_000,
  )
})

t.test('policy, limits and swapper are those of the file', async (t) => {
  const options = schedulerOptions(configOf(`${MODELS}maxQueued: 3\nrouting: { router: { use: group } }`))
  t.match(options, {
    policy: { use: 'serial', agingSeconds: 10 },
    limits: { maxQueued: 3 },
    swapper: { name: 'group' },
  })
  t.equal(schedulerOptions(configOf(MODELS)).swapper.name, 'exclusive')
})

t.test('every scheduler and swapper that a file may name can be built', async (t) => {
  for (const scheduler of ['fifo', 'serial']) {
    for (const router of ['group', 'exclusive', 'matrix', 'memory']) {
      const text = [
        MODELS,
        'matrix: { sets: { s: a & b } }',
        'devices: { gpu0: 8GiB }',
        `routing: { scheduler: { use: ${scheduler} }, router: { use: ${router} } }`,
      ].join('\n')
      const options = schedulerOptions(configOf(text))
      t.equal(options.policy.use, scheduler)
      t.equal(options.swapper.name, router)
      t.equal(createScheduler(options).stats(0).bands.normal.depth, 0)
    }
  }
})

const pickerOf = (settings: string): string | undefined => {
  const { picker } = schedulerOptions(configOf(`${MODELS}routing: { picker: ${settings} }`))
  return typeof picker === 'function' ? picker(() => 0).name : undefined
}

t.test('the picker is made around the random source of the scheduler', async (t) => {
  t.equal(pickerOf('{}'), 'tree')
  t.equal(pickerOf('{ use: least-loaded }'), 'least-loaded')
})
