import t from 'tap'
import { modelId, type ModelConfig } from '@lswap/core'
import { answerJson, fail } from './support/answers.ts'
import { ask, errorOf } from './support/ask.ts'
import { model } from './support/config.ts'
import { access, bearer, key } from './support/keys.ts'
import { startRig } from './support/rig.ts'

const filtered = (filters: Partial<ModelConfig['filters']>, more: Partial<ModelConfig> = {}): ModelConfig =>
  model('a', { ...more, filters: { stripParams: [], setParams: [], setParamsById: [], ...filters } })

/** What the engine gets of each body. */
const through = async (
  t: Parameters<typeof startRig>[0],
  models: readonly ModelConfig[],
  bodies: readonly string[],
): Promise<(string | undefined)[]> => {
  const { port, agent } = await startRig(t, { models, answer: answerJson({}) })
  const texts: (string | undefined)[] = []
  for (const body of bodies) {
    const { status } = await ask(port, { body })
    const forward = agent.forwards.at(-1)
    const bytes = await forward?.body()
    const isCounted = forward?.request.body.length === bytes?.length
    texts.push(status === 200 && isCounted ? bytes?.toString() : undefined)
  }
  return texts
}

t.test('stripParams takes keys out, wherever they stand, and their commas', async (t) => {
  const bodies = [
    ['{"x":1,"model":"a","y":2}', '{"model":"a"}'],
    ['{ "x" : 1 , "model" : "a" , "y" : 2 }', '{  "model" : "a"  }'],
    ['{"x":[1,{"y":2}],"y":"}","k":0,"model":"a"}', '{"k":0,"model":"a"}'],
    ['{"model":"a","x":"a,\\"","k":{"x":1},"y":null}', '{"model":"a","k":{"x":1}}'],
    ['{"x":1,"x":2,"model":"a","y":1,"y":{}}', '{"model":"a"}'],
    ['{"\\u0078":true,"k":1,"model":"a"}', '{"k":1,"model":"a"}'],
    ['{"model":"a"}', '{"model":"a"}'],
    [`{"x":"${'long '.repeat(5_000)}","model":"a"}`, '{"model":"a"}'],
  ] as const
  const got = await through(
    t,
    [filtered({ stripParams: ['x', 'y'] })],
    bodies.map(([body]) => body),
  )
  t.same(
    got,
    bodies.map(([, expected]) => expected),
  )
})

t.test('setParams sets each occurrence of a key, or adds it behind the model', async (t) => {
  const setParams = [
    { key: 'x', json: '0.5' },
    { key: 'é"', json: '{"a":[null]}' },
  ]
  const got = await through(
    t,
    [filtered({ setParams })],
    ['{"model":"a"}', '{"x" : [1,2] ,"model":"a","x":"z","é\\"":1}', '{"model":"a", "k":1}'],
  )
  t.same(got, [
    '{"model":"a","x":0.5,"é\\"":{"a":[null]}}',
    '{"x" : 0.5 ,"model":"a","x":0.5,"é\\"":{"a":[null]}}',
    '{"model":"a","x":0.5,"é\\"":{"a":[null]}, "k":1}',
  ])
})

t.test(
  'useModelName, stripParams, setParams, setParamsByID: later ones win, by the name that was asked for',
  async (t) => {
    const one = filtered(
      {
        stripParams: ['x', 'k'],
        setParams: [
          { key: 'x', json: '1' },
          { key: 'y', json: '1' },
        ],
        setParamsById: [{ name: 'a:high', params: [{ key: 'y', json: '2' }] }],
      },
      { useModelName: 'größe', aliases: ['a:high'] },
    )
    const got = await through(
      t,
      [one],
      ['{"k":1,"model":"a"}', '{"model":"a:high","x":9,"k":1,"y":9}', '{"model":"a:high"}'],
    )
    t.same(got, ['{"model":"größe","x":1,"y":1}', '{"model":"größe","x":1,"y":2}', '{"model":"größe","x":1,"y":2}'])
  },
)

t.test("a name's own parameters are for requests by that name, and other models' filters for theirs", async (t) => {
  const one = filtered(
    {
      setParamsById: [
        { name: 'a:high', params: [{ key: 'y', json: '2' }] },
        { name: 'a:low', params: [{ key: 'y', json: '3' }] },
      ],
    },
    { aliases: ['a:high', 'a:low'] },
  )
  const bodies = ['a', 'b', 'a:high', 'a:low'].map((name) => `{"y":1,"model":"${name}"}`)
  const got = await through(t, [one, model('b')], bodies)
  t.same(got, ['{"y":1,"model":"a"}', '{"y":1,"model":"b"}', '{"y":2,"model":"a:high"}', '{"y":3,"model":"a:low"}'])
})

t.test('where a filter applies the whole object is read first', async (t) => {
  const { port, agent } = await startRig(t, { models: [filtered({}, { useModelName: 'z' })], answer: answerJson({}) })
  for (const body of [
    '{"model":"a","model":"a"}',
    '{"model":"a","x":1,"model":2}',
    '{"model":"a","x":nope}',
    '{"model":"a"',
  ]) {
    const told = await ask(port, { body })
    t.match([told.status, errorOf(told).code], [400, 'invalid_json'], body)
  }
  t.same([agent.swaps.length, agent.forwards.length], [0, 0], 'nothing was done for them')
})

t.test('a key that is there without end is refused', async (t) => {
  const { port } = await startRig(t, { models: [filtered({ stripParams: ['x'] })] })
  const told = await ask(port, { body: `{${'"x":0,'.repeat(1_001)}"model":"a"}` })
  t.match([told.status, errorOf(told)], [400, { code: 'invalid_json', message: /"x"/ }])
})

t.test('a body with a filter goes through in chunks, and again when its first try failed', async (t) => {
  const { port, agent } = await startRig(t, {
    models: [filtered({ stripParams: ['x'], setParams: [{ key: 'y', json: '1' }] })],
    answer: (forward) => {
      if (agent.forwards.length === 1) fail(forward, 'upstream_unreachable')
      else void forward.body().then((bytes) => answerJson(bytes.toString())(forward))
    },
  })
  const filler = 'é'.repeat(1_000_000)
  const told = await ask(port, {
    body: `{"x":1,"k":"${filler}","model":"a","x":2}`,
    headers: { 'Transfer-Encoding': 'chunked' },
  })
  t.equal(agent.forwards.length, 2)
  t.ok(JSON.parse(told.text) === `{"k":"${filler}","model":"a","y":1}`)
})

t.test('for a key that reaches some models only the whole object is read, too', async (t) => {
  const { port } = await startRig(t, {
    config: { access: access({ keys: [key('some', { models: [modelId('a')] }), key('all')] }) },
    answer: answerJson({}),
  })
  const body = '{"model":"a","model":"b"}'
  const told = await ask(port, { body, headers: bearer('some') })
  t.match([told.status, errorOf(told).code], [400, 'invalid_json'])
  t.equal((await ask(port, { body, headers: bearer('all') })).status, 200)
})

t.test('an adapter that the engine knows as a model is called by its name there', async (t) => {
  const one = filtered(
    {},
    {
      useModelName: 'base',
      aliases: ['sql', 'poet'],
      adapters: [
        { alias: 'sql', engineName: 'sql-lora' },
        { alias: 'poet', id: 0, scale: 1 },
      ],
    },
  )
  const got = await through(t, [one], ['{"model":"sql"}', '{"model":"a"}', '{"model":"poet"}'])
  t.same(got, ['{"model":"sql-lora"}', '{"model":"base"}', '{"model":"base"}'])
})

t.test('an adapter is a name of its model: no swap, and its requests say which', async (t) => {
  const params = [{ key: 'lora', json: '[{"id":0,"scale":1}]' }]
  const one = filtered(
    { setParamsById: [{ name: 'poet', params }] },
    { aliases: ['poet'], adapters: [{ alias: 'poet', id: 0, scale: 1 }] },
  )
  const { port, agent } = await startRig(t, { models: [one], answer: answerJson({}) })
  for (const name of ['a', 'poet']) t.equal((await ask(port, { body: `{"model":"${name}"}` })).status, 200)
  t.equal(agent.swaps.length, 1)
  const bodies = await Promise.all(agent.forwards.map(async (forward) => String(await forward.body())))
  t.same(bodies, ['{"model":"a"}', '{"model":"poet","lora":[{"id":0,"scale":1}]}'])
})
