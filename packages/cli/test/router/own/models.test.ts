import t from 'tap'
import type { ModelConfig } from '@lswap/core'
import { listedCapabilities } from '../../../src/router/own/capabilities.ts'
import type { ModelList } from '../../../src/router/own/model-list.ts'
import type { ListedModel } from '../../../src/router/own/models.ts'
import { answerJson } from '../support/answers.ts'
import { ask } from '../support/ask.ts'
import { model } from '../support/config.ts'
import { startRig } from '../support/rig.ts'

const listOf = async (port: number): Promise<readonly ListedModel[]> =>
  (JSON.parse((await ask(port, { path: '/v1/models' })).text) as ModelList).data

t.test('what a load usually takes is known once one was measured', async (t) => {
  const timings = { stopMs: 1, memoryMs: 2, loadMs: 4_321 }
  const { port } = await startRig(t, {
    answer: answerJson({}),
    agent: (fake) => ({
      ...fake,
      swap: async (order) => ({ ...(await fake.swap(order)), timings }),
    }),
  })
  const expected = async (): Promise<unknown> => (await listOf(port)).map(({ meta }) => meta.lswap.expectedLoadMs)
  t.same(await expected(), [null, null])
  await ask(port, { body: '{"model":"b"}' })
  t.same(await expected(), [null, 4_321])
})

const described = (): ModelConfig =>
  model('a', {
    name: 'A',
    aliases: ['gpt-4', 'a:high'],
    metadata: { temp: 0.7, nested: { deep: [1] } },
    capabilities: { in: ['text', 'image'], out: ['text'], tools: true, reranker: false, context: 32_000 },
  })

t.test('metadata and capabilities are told where clients of llama-swap look for them', async (t) => {
  const { port } = await startRig(t, { models: [described(), model('b')] })
  const [a, b] = await listOf(port)
  t.match(a, {
    architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'], modality: 'text+image->text' },
    capabilities: { vision: true, function_calling: true },
    supported_parameters: ['tools', 'tool_choice'],
    context_length: 32_000,
  })
  t.same(a?.meta.llamaswap, {
    temp: 0.7,
    nested: { deep: [1] },
    type: 'model',
    aliases: ['gpt-4', 'a:high'],
  })
  t.equal(a?.meta.n_ctx, 32_000)
  t.same(b?.meta.llamaswap, { type: 'model' })
  t.same(
    Object.keys(b ?? {}).filter((key) => /arch|capa|supp|context/.test(key)),
    [],
    'nothing is made up',
  )
})

t.test('aliases are rows of their own only where the file wants that', async (t) => {
  const models = [described(), model('hidden', { unlisted: true, aliases: ['also-hidden'] }), model('b')]
  const ids = async (withAliases: boolean): Promise<readonly string[]> => {
    const { port } = await startRig(t, { models, config: { includeAliasesInList: withAliases } })
    return (await listOf(port)).map(({ id }) => id)
  }
  t.same(await ids(false), ['a', 'b'])
  t.same(await ids(true), ['a', 'gpt-4', 'a:high', 'b'])
  const { port } = await startRig(t, { models, config: { includeAliasesInList: true } })
  const [, alias] = await listOf(port)
  t.match(alias, { id: 'gpt-4', object: 'model', name: 'A', aliases: [], meta: { lswap: { state: 'stopped' } } })
  t.same(alias?.meta.llamaswap, { temp: 0.7, nested: { deep: [1] }, type: 'alias', modelID: 'a' })
})

t.test('one model is told by id or alias, under the name that was asked for', async (t) => {
  const models = [described(), model('org/hidden', { unlisted: true, aliases: ['h'] }), model('b')]
  const { port } = await startRig(t, { models })
  const told = async (path: string) => {
    const { status, text } = await ask(port, { path: `/v1/models/${path}` })
    return { status, body: JSON.parse(text) as ListedModel & { error?: { code: string; message: string } } }
  }
  const [a] = await listOf(port)
  t.same(await told('a'), { status: 200, body: a })
  t.match(await told('gpt-4'), { status: 200, body: { id: 'gpt-4', object: 'model', name: 'A' } })
  t.match(await told('org/hidden'), { status: 200, body: { id: 'org/hidden' } }, 'what answers requests is told')
  t.match(await told('org%2Fhidden'), { status: 200, body: { id: 'org/hidden' } }, 'as the libraries write it')
  const unknown = await told('hiddn')
  t.match(unknown, { status: 404, body: { error: { code: 'model_not_found' } } })
  t.notMatch(unknown.body.error?.message, /hidden/, 'and not suggested')
})

t.test('an unlisted model is served and not listed', async (t) => {
  const { port } = await startRig(t, { models: [model('a', { unlisted: true })], answer: answerJson({}) })
  t.same(await listOf(port), [])
  t.equal((await ask(port, { body: '{"model":"a"}' })).status, 200)
})

t.test('capabilities say what they are named after, and only that', async (t) => {
  const none = { in: [], out: [], tools: false, reranker: false, context: 0 }
  t.same(listedCapabilities(undefined), {})
  t.same(listedCapabilities({ ...none, reranker: true }), { capabilities: { reranker: true } })
  t.same(listedCapabilities({ ...none, in: ['audio'], out: ['text'] }).capabilities, { audio_transcriptions: true })
  t.same(listedCapabilities({ ...none, in: ['text'], out: ['audio', 'image'] }).capabilities, {
    audio_speech: true,
    image_generation: true,
  })
  t.same(listedCapabilities({ ...none, in: ['image'], out: ['image'] }).capabilities, {
    vision: true,
    image_to_image: true,
  })
  t.same(listedCapabilities({ ...none, in: ['image'] }).architecture, { input_modalities: ['image'] })
})

t.test(
  'a name and a description that the file has not are left out: programs take the id then, and not null',
  async (t) => {
    const { port } = await startRig(t, { models: [model('a', { name: 'A', description: 'The first.' }), model('b')] })
    const [a, b] = await listOf(port)
    t.match(a, { name: 'A', description: 'The first.' })
    t.notOk(b && ('name' in b || 'description' in b))
  },
)
