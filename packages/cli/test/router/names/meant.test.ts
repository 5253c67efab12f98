import t from 'tap'
import { modelId, NO_FILTERS, type Config } from '@lswap/core'
import { modelNotFound } from '../../../src/router/catalog.ts'
import { ask, errorOf } from '../support/ask.ts'
import { model } from '../support/config.ts'
import { access, bearer, key } from '../support/keys.ts'
import { startRig, type RigOptions } from '../support/rig.ts'

const none = { name: undefined, description: undefined, spillover: 1, unlisted: false, metadata: undefined } as const

const config: Partial<Config> = {
  peers: [{ id: 'box', proxy: 'http://127.0.0.1:9', models: ['gemma'], filters: NO_FILTERS, timeouts: {} }],
  selectors: [
    { ...none, id: 'coding', strategy: 'pin', targets: ['qwen-coder'] },
    { ...none, id: 'writing', strategy: 'pin', targets: ['qwen-coder'], unlisted: true },
  ],
  access: access({
    keys: [
      key('all'),
      key('llama', { models: [modelId('llama-3.1-8b')] }),
      key('remote', { models: [modelId('box/gemma')] }),
    ],
  }),
}
const rig: RigOptions = {
  models: [
    model('qwen-coder', { aliases: ['gpt-4o-mini'] }),
    model('llama-3.1-8b'),
    model('secret-model', { unlisted: true }),
  ],
  config,
}

t.test('a name that is nearly one that the caller may see is told with that one', async (t) => {
  const { port } = await startRig(t, rig)
  for (const [who, given, meant] of [
    ['all', 'qwen-codr', 'qwen-coder'],
    ['all', 'Qwen_Coder', 'qwen-coder'],
    ['all', 'gpt-4o-mimi', 'gpt-4o-mini'],
    ['all', 'box/gema', 'box/gemma'],
    ['all', 'codin', 'coding'],
    ['all', 'something-else', undefined],
    ['all', 'writin', undefined],
    ['all', 'secret-modl', undefined],
    ['llama', 'llama-3.1-8', 'llama-3.1-8b'],
    ['llama', 'qwen-codr', undefined],
    ['llama', 'gpt-4o-mimi', undefined],
    ['llama', 'box/gema', undefined],
    ['llama', 'codin', undefined],
    ['remote', 'box/gema', 'box/gemma'],
  ] as const) {
    const told = await ask(port, { body: JSON.stringify({ model: given }), headers: bearer(who) })
    const suffix = meant === undefined ? '' : ` Did you mean "${meant}"?`
    t.match([told.status, errorOf(told).code], [404, 'model_not_found'])
    const message = `No model "${given}" is configured.${suffix} \`lswap models\` or GET /v1/models lists them.`
    t.equal(errorOf(told).message, message, `${who} asks for ${given}`)
  }
})

t.test('so it is wherever a model is named', async (t) => {
  const { port } = await startRig(t, rig)
  for (const [method, path] of [
    ['POST', '/api/models/load/qwen-codr'],
    ['POST', '/api/models/unload/qwen-codr'],
    ['POST', '/api/models/pin/qwen-codr'],
    ['GET', '/logs/stream/qwen-codr'],
    ['GET', '/upstream/qwen-codr/page'],
    ['GET', '/props?model=qwen-codr'],
  ] as const) {
    const all = await ask(port, { method, path, headers: bearer('all') })
    t.match([all.status, errorOf(all).message], [404, /Did you mean "qwen-coder"\?/], path)
    const llama = await ask(port, { method, path, headers: bearer('llama') })
    t.match(llama.status, 404, path)
    t.notMatch(llama.text, 'qwen-coder', path)
  }
})

t.test('no more than a thousand names are compared', async (t) => {
  const names = Array.from({ length: 1_000 }, (_, at) => `model-number-${at * 7_919}`)
  t.match(modelNotFound('lama', [...names, 'llama']).message, /configured\.$/)
  t.match(modelNotFound('lama', ['llama', ...names]).message, /Did you mean "llama"\?$/)
})
