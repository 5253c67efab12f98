import t from 'tap'
import { hostId, LOCAL_HOST, modelId, type Config, type ModelConfig, type Request } from '@lswap/core'
import { answerJson } from '../support/answers.ts'
import { ask, type Asked } from '../support/ask.ts'
import { model } from '../support/config.ts'
import { access, bearer, key } from '../support/keys.ts'
import { startRig } from '../support/rig.ts'

type Test = Parameters<typeof startRig>[0]

const TWO = { hosts: [LOCAL_HOST, hostId('other')] }
const BY_PREFIX: Partial<Config> = { picker: { use: 'prefix' } }
const body = (id: string): string =>
  JSON.stringify({ model: id, stream: false, messages: [{ role: 'user', content: 'again and again '.repeat(100) }] })

/** How many blocks of its prompt the scheduler is told of each request; undefined: nothing. */
const told = async (
  t: Test,
  models: readonly ModelConfig[],
  { config, asks }: { config: Partial<Config>; asks: readonly Asked[] },
): Promise<(number | undefined)[]> => {
  const seen: Request[] = []
  const { port } = await startRig(t, {
    models,
    config,
    answer: answerJson({}),
    scheduler: (real) => ({
      ...real,
      onRequest: (event) => {
        seen.push(event.request)
        return real.onRequest(event)
      },
    }),
  })
  for (const asked of asks) await ask(port, asked)
  return seen.map(({ prefix }) => prefix?.length)
}

t.test('the scheduler is told how a prompt begins of a model with several replicas, and of no other', async (t) => {
  const models = [model('a', TWO), model('b')]
  const asks = [{ body: body('a') }, { body: body('b') }]
  t.same(await told(t, models, { config: BY_PREFIX, asks }), [6, undefined])
})

t.test('under other pickers nothing of a body is read for it', async (t) => {
  const models = [model('a', TWO)]
  for (const use of ['tree', 'least-loaded'])
    t.same(await told(t, models, { config: { picker: { use } }, asks: [{ body: body('a') }] }), [undefined], use)
})

t.test('by any name, key, wish and coding of the body', async (t) => {
  const models = [model('a', { ...TWO, aliases: ['alias'] })]
  const asks: readonly Asked[] = [
    { body: body('alias') },
    { body: body('a'), headers: { 'x-lswap-early': '0' } },
    { body: body('a'), headers: { 'x-lswap-early': '1' } },
    { body: body('a'), headers: { 'transfer-encoding': 'chunked' } },
  ]
  t.same(await told(t, models, { config: BY_PREFIX, asks }), [6, 6, 6, 6])
  const keys = access({ keys: [key('one', { models: [modelId('a')] })] })
  const restricted = { config: { ...BY_PREFIX, access: keys }, asks: [{ body: body('a'), headers: bearer('one') }] }
  t.same(await told(t, models, restricted), [6])
})

t.test('routes that generate no text, and models that the path names, are as before', async (t) => {
  const models = [model('a', TWO)]
  const asks = ['/v1/embeddings', '/tokenize', '/upstream/a/v1/chat/completions'].map((path) => ({
    path,
    body: body('a'),
  }))
  t.same(await told(t, models, { config: BY_PREFIX, asks }), [undefined, undefined, undefined])
})
