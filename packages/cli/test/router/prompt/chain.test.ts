import t from 'tap'
import { ANONYMOUS, hostId, modelId, requestId, type ModelConfig, type PrefixChain, type Request } from '@lswap/core'
import { createCatalog } from '../../../src/router/catalog.ts'
import { findInference } from '../../../src/router/inference-route.ts'
import { createModelScanner } from '../../../src/router/model-name.ts'
import { withPrefix } from '../../../src/router/prompt/chain.ts'
import { model } from '../support/config.ts'

const HOSTS = [hostId('a'), hostId('b')]

interface Asked {
  readonly model?: Partial<ModelConfig>
  readonly path?: string
  readonly calledAs?: string
  readonly adapter?: string
  /** Bytes in a chunk. */
  readonly size?: number
  /** Bytes that memory holds. */
  readonly most?: number
}

/** The chain of a body as the router makes it. */
const chainOf = (body: object | string, asked: Asked = {}): PrefixChain | undefined => {
  const { path = '/v1/chat/completions', calledAs = 'm', size = 65_536, most = Infinity } = asked
  const one = model('m', { hosts: HOSTS, ...asked.model })
  const catalog = createCatalog([one], { indirect: new Set(), filtered: [], picksByPrefix: true })
  const route = findInference(path)?.[0]?.route
  if (route === undefined) throw new Error(`no route ${path}`)
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const scanner = createModelScanner(catalog.promptScanning)
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
  const scans = chunks.map((chunk) => scanner.push(chunk))
  const found = scans.find(({ type }) => type !== 'more')
  if (found?.type !== 'found') throw new Error(`${found?.type}: ${bytes.toString()}`)
  const request: Request = {
    id: requestId(1),
    model: modelId('m'),
    priority: 0,
    criticality: 'critical',
    caller: ANONYMOUS,
    takesSlot: route.takesSlot,
    noLoad: false,
    ...(asked.adapter === undefined ? {} : { adapter: asked.adapter }),
  }
  let room = most
  const held = chunks.flatMap((chunk) => {
    const piece = chunk.subarray(0, room)
    room -= piece.length
    return piece.length === 0 ? [] : [piece]
  })
  return withPrefix(request, { route, model: one, found, calledAs, held }).prefix
}

const text = (name: string, length: number): string => `${name} `.repeat(Math.ceil(length / (name.length + 1)))
const user = (name: string, length = 600) => ({ role: 'user', content: text(name, length) })
const assistant = (name: string, length = 600) => ({ role: 'assistant', content: text(name, length) })
const system = { role: 'system', content: text('you are helpful', 1_000) }
const tools = [{ type: 'function', function: { name: 'look', parameters: {}, description: text('looks', 900) } }]

/** How many blocks two have in common from the start. */
const shared = (one: PrefixChain = [], other: PrefixChain = []): number => {
  const at = one.findIndex((block, place) => block !== other[place])
  return at === -1 ? one.length : at
}

t.test('a conversation that goes on has the chain of its beginning, and more', async (t) => {
  const first = chainOf({ model: 'm', messages: [system, user('one')] }) ?? []
  const second = chainOf({ model: 'm', messages: [system, user('one'), assistant('two'), user('three')] }) ?? []
  t.equal(first.length, 6)
  t.equal(shared(first, second), first.length)
  t.ok(second.length > first.length)
  t.ok(shared(first, chainOf({ model: 'm', messages: [system, user('other')] })) >= 4, 'the system prompt')
})

t.test('the order of keys in the body makes no difference, nor what is no prompt', async (t) => {
  const messages = [system, user('one')]
  const bodies = [
    { model: 'm', messages, tools },
    { tools, messages, model: 'm' },
    { temperature: 0.1, messages, stream: true, model: 'm', tools, max_tokens: 4 },
    `{ "messages" :${JSON.stringify(messages)} , "model":"m", "tools": ${JSON.stringify(tools)}}`,
  ]
  const [first, ...others] = bodies.map((body) => chainOf(body))
  t.ok((first?.length ?? 0) > 5)
  for (const other of others) t.same(other, first)
})

t.test('wherever the body is cut it is the same', async (t) => {
  const body = { stream: true, messages: [system, user('one'), assistant('é'.repeat(400))], tools, model: 'm' }
  const whole = chainOf(body)
  for (const size of [1, 7, 256, 1_000]) t.same(chainOf(body, { size }), whole, `chunks of ${size}`)
})

t.test('other tools, another system prompt and another adapter are another beginning', async (t) => {
  const messages = [user('one')]
  const plain = chainOf({ model: 'm', messages, tools, system: 'be short' })
  t.ok((plain?.length ?? 0) > 4)
  t.equal(
    shared(plain, chainOf({ model: 'm', messages, tools: [{ ...tools[0], type: 'other' }], system: 'be short' })),
    0,
  )
  t.equal(shared(plain, chainOf({ model: 'm', messages, tools, system: 'be short' }, { adapter: 'lora' })), 0)
  const other = shared(plain, chainOf({ model: 'm', messages, tools, system: 'be long' }))
  t.ok(other >= 3 && other < (plain?.length ?? 0), 'the tools are the same')
  t.equal(shared(chainOf({ model: 'm', tools: messages }), chainOf({ model: 'm', messages })), 0)
})

t.test('the prompts of other dialects are read, too', async (t) => {
  const cases = [
    ['/v1/messages', { system: system.content, messages: [user('one')], tools }],
    ['/v1/completions', { prompt: text('once upon a time', 900) }],
    ['/completion', { prompt: text('once upon a time', 900) }],
    ['/v1/responses', { instructions: system.content, input: text('what', 900) }],
    ['/infill', { input_prefix: text('function', 900), input_suffix: '}' }],
    ['/v/chat/completions', { messages: [user('one')] }],
  ] as const
  for (const [path, body] of cases) t.ok((chainOf({ model: 'm', ...body }, { path })?.length ?? 0) >= 2, path)
})

t.test('what generates no text has no chain, nor has a short prompt', async (t) => {
  const long = { model: 'm', input: text('embed this', 3_000), messages: [user('one', 3_000)] }
  for (const path of ['/v1/embeddings', '/v1/rerank', '/tokenize', '/v1/messages/count_tokens', '/v1/audio/speech'])
    t.equal(chainOf(long, { path }), undefined, path)
  t.equal(chainOf({ model: 'm', messages: [user('hello', 10)] }), undefined)
  t.equal(chainOf({ model: 'm' }), undefined)
})

const filtered = (filters: Partial<ModelConfig['filters']>) => ({
  filters: { stripParams: [], setParams: [], setParamsById: [], ...filters },
})

t.test('it is the prompt that the engine gets: with what filters set, without what they strip', async (t) => {
  const body = { model: 'm', messages: [user('one')], tools }
  const bare = chainOf({ model: 'm', messages: [user('one')] })
  t.same(chainOf(body, { model: filtered({ stripParams: ['tools'] }) }), bare)
  const set = filtered({ setParams: [{ key: 'tools', json: JSON.stringify(tools) }] })
  t.same(chainOf({ model: 'm', messages: [user('one')] }, { model: set }), chainOf(body))
  t.same(chainOf({ ...body, tools: 'other' }, { model: set }), chainOf(body))
  const byId = filtered({
    setParamsById: [{ name: 'm:tools', params: [{ key: 'tools', json: JSON.stringify(tools) }] }],
  })
  const bodyFor = { model: 'm', messages: [user('one')] }
  t.same(chainOf(bodyFor, { model: byId, calledAs: 'm:tools' }), chainOf(body))
  t.same(chainOf(bodyFor, { model: byId }), bare)
})

t.test('of a key that is there twice the last counts, as engines read it', async (t) => {
  const messages = JSON.stringify([user('one')])
  t.same(
    chainOf(`{"messages":"first","model":"m","messages":${messages}}`),
    chainOf({ model: 'm', messages: [user('one')] }),
  )
})

t.test('of a body that memory does not hold whole it is what memory holds', async (t) => {
  const body = { model: 'm', messages: [user('one', 5_000)] }
  const [whole = [], part = []] = [chainOf(body), chainOf(body, { most: 3_000, size: 512 })]
  t.equal(part.length, 11)
  t.equal(shared(part, whole), part.length)
})
