import t from 'tap'
import { chat, errorOf } from '../chat.ts'
import { callAgent, fleet, type Program } from '../fleet.ts'
import { until } from '../until.ts'
import { hear } from './stage.ts'

// Many processes, on machines that have other work too
t.setTimeout(180_000)

/** What a router says of its only host: undefined, it is in charge. */
const lostBy = async (router: Program): Promise<string | undefined> => {
  const { hosts } = (await (await fetch(`${router.url}/running`)).json()) as {
    hosts: { failure: { message: string } | null }[]
  }
  return hosts[0]?.failure?.message
}

t.test('of two routers that start at once one is in charge, and the other says so and starts nothing', async (t) => {
  const rig = await fleet(t, { box: { a: '', b: '' } })
  const host = rig.host('box')
  const routers = await Promise.all([rig.router(), rig.router()])
  await until('one of them is overtaken', async () => {
    const lost = await Promise.all(routers.map(lostBy))
    return lost.filter((message) => message?.includes('another router')).length === 1 ? true : undefined
  })
  t.match(await (await callAgent(host, '/v1/agent')).json(), { term: 2 }, 'each had a term of its own')
  const asked = routers.flatMap((router) =>
    ['a', 'b', 'a', 'b'].map(async (model) => {
      const answer = await chat(router.url, model)
      if (answer.ok) return `served ${(await answer.text()).includes(`"model":"${model}"`)}`
      return (await errorOf(answer)).code
    }),
  )
  const fates = await Promise.all(asked)
  const half = fates.length / 2
  const halves = [fates.slice(0, half), fates.slice(half)].map((each) => [...new Set(each)].join())
  t.same(halves.toSorted(), ['host_unreachable', 'served true'])
  t.same([...new Set(await host.journal.starts())].toSorted(), ['a', 'b'])
  t.same(await host.bench.besides(), [], 'no engine began beside another')
})

t.test('a router that is overtaken lets what has begun come to its end', async (t) => {
  const rig = await fleet(t, { box: { a: '--tokens 60 --tps 30' } })
  const first = await rig.router()
  const answer = await chat(first.url, 'a', { stream: true, maxTokens: 60 })
  t.equal(answer.status, 200)
  const heard = hear(Promise.resolve(answer))
  const second = await rig.router()
  await until('the first is overtaken', async () => (await lostBy(first))?.includes('another router') || undefined)
  t.match((await rig.lswap(first, 'ps')).stderr, /another router has taken this host over/)
  t.equal((await chat(second.url, 'a', { maxTokens: 1 })).status, 200, 'the second serves by the same engine')
  t.match(await heard, { status: 200, isWhole: true })
  t.same(await rig.host('box').journal.starts(), ['a'])
})

t.test('who waits at a router that is overtaken is told at once, and why', async (t) => {
  const rig = await fleet(t, { box: { a: '--load-ms 100000', b: '' } })
  const host = rig.host('box')
  const first = await rig.router()
  const loading = chat(first.url, 'a')
  await host.journal.saw('its start', ({ event }) => event === 'start')
  const waiting = chat(first.url, 'b')
  await until('it waits', async () =>
    (await (await fetch(`${first.url}/api/queue`)).text()).includes('"model":"b"') ? true : undefined,
  )
  await rig.router()
  for (const asked of [loading, waiting]) {
    const answer = await asked
    t.match([answer.status, answer.headers.get('retry-after')], [503, /^\d+$/])
    const { code, message } = await errorOf(answer)
    t.match(
      [code, message],
      ['host_unreachable', /this router serves [ab] no more: box: another router has taken this host over/],
    )
  }
  t.equal((await fetch(`${first.url}/ready`)).status, 503)
})

t.test('whoever asks an overtaken router before it has noticed is told the same', async (t) => {
  const rig = await fleet(t, { box: { a: '' } })
  const host = rig.host('box')
  const first = await rig.router()
  t.equal((await chat(first.url, 'a')).status, 200)
  // As a second router does: the first one's next look is up to a second away
  const claimed = await callAgent(host, '/v1/claim', { method: 'POST', body: JSON.stringify({ claimant: 'another' }) })
  t.match(await claimed.json(), { term: 2 })
  const answer = await chat(first.url, 'a')
  t.match([answer.status, await errorOf(answer)], [503, { code: 'host_unreachable', message: /another router/ }])
})
