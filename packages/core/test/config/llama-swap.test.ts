import { readFileSync } from 'node:fs'
import t from 'tap'
import { configOf, issuesOf, read } from './reading.ts'

const FILE = new URL('../../../test/config/vectors/llama-swap-keys.yaml', import.meta.url)
const everyKey = readFileSync(FILE, 'utf8')
const env = { HOME: '/home/me' }

t.test('a file with every key of llama-swap loads', async (t) => {
  const { models, groups, swapper, policy, matrix } = configOf(everyKey, env)
  t.same(
    models.map(({ id }) => id),
    ['big', 'small', 'left', 'right'],
  )
  t.match(models[0], {
    cmd: '# a comment\nllama-server --port ${PORT} --ctx-size 16384 \\\n--model /home/me/models/big.gguf\n',
    cmdStop: undefined,
    proxy: 'http://127.0.0.1:${PORT}',
    checkEndpoint: '/health',
    idleMs: undefined,
    unloadTimeoutMs: 10_000,
    healthCheckTimeoutMs: 300_000,
    aliases: ['gpt-4o-mini', 'big:high'],
    env: { CUDA_VISIBLE_DEVICES: '0' },
    name: 'Big',
    description: 'a big model',
    concurrencyLimit: undefined,
    useModelName: 'upstream/big',
    sendLoadingState: true,
    metadata: { port: 6665, temp: 0.7, list: [1, 'two'], nested: { a: 'big' } },
    capabilities: { in: ['text', 'image'], out: ['text'], tools: true, reranker: false, context: 32_000 },
    filters: {
      stripParams: ['temperature', 'top_p'],
      setParams: [{ key: 'temperature', json: '0.7' }],
      setParamsById: [
        { name: 'big:high', params: [{ key: 'chat_template_kwargs', json: '{"reasoning_effort":"high"}' }] },
      ],
    },
    fifoPriority: 10,
  })
  t.equal(models[1]?.cmd, 'llama-server --port ${PORT} --model /home/me/models/small.gguf')
  t.equal(swapper, 'group')
  t.same(groups, [{ id: 'pair', swap: false, exclusive: false, persistent: false, members: ['left', 'right'] }])
  t.same(policy, { use: 'fifo', fairAfterMs: 60_000 })
  t.same([...matrix.evictCosts], [['big', 30]])
  t.same(
    matrix.sets.map(({ name }) => name),
    ['talk', 'either', 'all'],
  )
})

t.test('every key that has no effect is said once, as a warning', async (t) => {
  const reading = read(everyKey, env)
  t.ok(reading.ok)
  const warnings = reading.ok ? reading.warnings : []
  t.same(
    warnings.map(({ path }) => path),
    [
      'captureBuffer',
      'store',
      'ui',
      'performance',
      'models.big.timeouts.tlsHandshake',
      'models.big.timeouts.expectContinue',
      'routing.router.settings.matrix',
    ],
  )
  t.ok(warnings.every(({ severity }) => severity === 'warning'))
  t.ok(warnings.every(({ message }) => message.startsWith('no effect: ')))
  t.match(
    warnings.find(({ path }) => path.endsWith('matrix'))?.message,
    'no effect: not this decides what must go, but group',
  )
})

t.test('without its environment the file has one mistake, where the variable is named', async (t) => {
  t.same(
    issuesOf(everyKey, {}).filter((line) => line.includes('error')),
    ['21:11: error: macros.models: the environment variable HOME is not set'],
  )
})
