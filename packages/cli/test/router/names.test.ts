import t from 'tap'
import { modelId, type SelectorConfig } from '@lswap/core'
import { answerJson } from './support/answers.ts'
import { ask, errorOf, type Told, until } from './support/ask.ts'
import { model } from './support/config.ts'
import type { FakeForward } from './support/fake-agent.ts'
import { access, bearer, key } from './support/keys.ts'
import { startRig } from './support/rig.ts'

const selector = (
  id: string,
  strategy: SelectorConfig['strategy'],
  targets: readonly string[],
  more: Partial<SelectorConfig> = {},
): SelectorConfig => ({
  id,
  strategy,
  targets,
  spillover: 1,
  name: undefined,
  description: undefined,
  unlisted: false,
  metadata: undefined,
  ...more,
})

const bodies = (forwards: readonly FakeForward[]): Promise<string[]> =>
  Promise.all(forwards.map(async (forward) => `${forward.placement.model} ${String(await forward.body())}`))

const say = (name: string): { body: string } => ({ body: JSON.stringify({ model: name }) })

t.test('pin takes its first target, and the engine is told its name, not the selector', async (t) => {
  const models = [
    model('a', {
      aliases: ['a:hot'],
      filters: {
        stripParams: [],
        setParams: [],
        setParamsById: [{ name: 'a:hot', params: [{ key: 'x', json: '1' }] }],
      },
    }),
    model('b', { useModelName: 'upstream-b' }),
  ]
  const selectors = [selector('one', 'pin', ['a:hot', 'b']), selector('two', 'pin', ['b'])]
  const { port, agent } = await startRig(t, { models, config: { selectors }, answer: answerJson({}) })
  t.equal((await ask(port, say('one'))).status, 200)
  t.equal((await ask(port, say('two'))).status, 200)
  t.same(await bodies(agent.forwards), ['a {"model":"a:hot","x":1}', 'b {"model":"upstream-b"}'])
})

t.test('a selector leads to an engine below /upstream too', async (t) => {
  const config = { selectors: [selector('org/any', 'warm', ['a', 'b'])] }
  const { port, agent } = await startRig(t, { config, answer: answerJson({}) })
  await ask(port, say('b'))
  t.equal((await ask(port, { path: '/upstream/org/any/page' })).status, 200)
  t.match(agent.forwards.at(-1), { placement: { model: 'b' }, request: { path: '/page' } })
})

t.test('warm takes what is loaded, in order, and loads the first where nothing is', async (t) => {
  const { port, agent } = await startRig(t, {
    config: { selectors: [selector('any', 'warm', ['a', 'b'])] },
    answer: answerJson({}),
  })
  await ask(port, say('any'))
  await ask(port, say('b'))
  await ask(port, say('any'))
  t.same(await bodies(agent.forwards), ['a {"model":"a"}', 'b {"model":"b"}', 'b {"model":"b"}'])
  t.equal(agent.swaps.length, 2)
})

const bothWait = async (port: number): Promise<void> => {
  let count = 0
  while (count < 2) {
    const { waiting } = JSON.parse((await ask(port, { path: '/api/queue' })).text) as { waiting: unknown[] }
    count = waiting.length
  }
}

t.test('warm prefers a load under way to another one', async (t) => {
  let ready: (() => void) | undefined
  const { port, agent } = await startRig(t, {
    config: { selectors: [selector('any', 'warm', ['a', 'b'])] },
    load: () => new Promise((resolve) => (ready = () => resolve(undefined))),
    answer: answerJson({}),
  })
  const first = ask(port, say('b'))
  await until('b loads', () => ready !== undefined)
  const second = ask(port, say('any'))
  await bothWait(port)
  ready?.()
  t.same([(await first).status, (await second).status], [200, 200])
  t.same(
    agent.swaps.map(({ model: id }) => id),
    ['b'],
  )
})

t.test('spillover fills one target up to its count before the next, and begins anew when they are free', async (t) => {
  const together = {
    swapper: 'group',
    groups: [{ id: 'g', swap: false, exclusive: true, persistent: false, members: [modelId('a'), modelId('b')] }],
  } as const
  const { port, agent } = await startRig(t, {
    models: [model('a', { concurrencyLimit: 8 }), model('b', { concurrencyLimit: 8 })],
    config: { ...together, selectors: [selector('pool', 'spillover', ['a', 'b'], { spillover: 2 })] },
  })
  const asked: Promise<Told>[] = []
  for (let count = 1; count <= 5; count += 1) {
    asked.push(ask(port, say('pool')))
    await until(`${count} came`, () => agent.forwards.length === count)
  }
  t.same(
    agent.forwards.slice(0, 4).map(({ placement }) => placement.model),
    ['a', 'a', 'b', 'b'],
    'two each',
  )
  for (const forward of agent.forwards) answerJson({})(forward)
  await Promise.all(asked)
  const again = ask(port, say('pool'))
  await until('it came', () => agent.forwards.length === 6)
  const last = agent.forwards.at(-1)
  if (last) answerJson({})(last)
  t.equal((await again).status, 200, 'what ended is given back')
})

t.test('a key reaches behind a selector what it reaches anyway', async (t) => {
  const config = {
    selectors: [selector('any', 'pin', ['a', 'b']), selector('only-a', 'pin', ['a'])],
    access: access({ keys: [key('k', { models: [modelId('b')] })] }),
  }
  const { port, agent } = await startRig(t, { config, answer: answerJson({}) })
  t.equal((await ask(port, { ...say('any'), headers: bearer('k') })).status, 200)
  t.same(
    agent.forwards.map(({ placement }) => placement.model),
    ['b'],
  )
  const refused = await ask(port, { ...say('only-a'), headers: bearer('k') })
  t.match([refused.status, errorOf(refused).code], [403, 'forbidden'])
  const list = JSON.parse((await ask(port, { path: '/v1/models', headers: bearer('k') })).text) as {
    data: { id: string }[]
  }
  t.same(
    list.data.map(({ id }) => id),
    ['b', 'any'],
  )
})

t.test('selectors are listed with what they stand for, unless they are unlisted', async (t) => {
  const selectors = [
    selector('any', 'warm', ['a', 'b'], { name: 'Any', metadata: { n: 1 } }),
    selector('hidden', 'pin', ['a'], { unlisted: true }),
  ]
  const { port } = await startRig(t, { config: { selectors }, answer: answerJson({}) })
  await ask(port, say('b'))
  const { data } = JSON.parse((await ask(port, { path: '/v1/models' })).text) as { data: unknown[] }
  t.match(data.slice(2), [
    {
      id: 'any',
      name: 'Any',
      status: { value: 'loaded' },
      meta: { llamaswap: { n: 1, type: 'selector', strategy: 'warm', targets: ['a', 'b'] } },
    },
  ])
  t.equal(data.length, 3)
})

t.test('a profile changes what names mean while it is active, and only then', async (t) => {
  const profiles = [
    {
      id: 'coding',
      description: 'd',
      pins: [
        { name: 'gpt', target: 'b' },
        { name: 'a', target: 'any' },
        { name: 'b', target: undefined },
      ],
    },
  ]
  const { port, agent } = await startRig(t, {
    config: { profiles, selectors: [selector('any', 'pin', ['b'])] },
    answer: answerJson({}),
  })
  const activate = (body: string): Promise<Told> => ask(port, { method: 'PUT', path: '/api/profiles/active', body })
  const statusOf = async (name: string): Promise<number> => (await ask(port, say(name))).status
  t.equal(await statusOf('gpt'), 404)
  t.match(JSON.parse((await activate('{"name":"coding"}')).text), {
    active: 'coding',
    profiles: [{ id: 'coding', pins: { gpt: 'b', b: '' } }],
  })
  t.same([await statusOf('gpt'), await statusOf('a'), await statusOf('b')], [200, 200, 404])
  t.same(await bodies(agent.forwards), ['b {"model":"b"}', 'b {"model":"b"}'], 'an id too, and through a selector')
  const listed = JSON.parse((await ask(port, { path: '/v1/models' })).text) as { data: { id: string; meta: unknown }[] }
  t.match(
    listed.data.find(({ id }) => id === 'gpt'),
    { meta: { llamaswap: { type: 'profile' } } },
  )

  t.equal((await activate('{"name":"nope"}')).status, 404)
  t.equal((await activate('[]')).status, 400)
  t.equal((await activate('x'.repeat(20_000))).status, 400)
  t.equal(
    (JSON.parse((await ask(port, { path: '/api/profiles' })).text) as { active: unknown }).active,
    'coding',
    'mistakes change nothing',
  )
  await activate('{"name":null}')
  t.same([await statusOf('gpt'), await statusOf('b')], [404, 200])
})
