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
      const answer = await chat(router.url, model, { headers: { 'x-lswap-max-wait': '5' } })
      if (answer.ok) return `served ${(await answer.text()).includes(`"model":"${model}"`)}`
      return (await errorOf(answer)).code
    }),
  )
  const fates = await Promise.all(asked)
  const half = fates.length / 2
  const halves = [fates.slice(0, half), fates.slice(half)].map((each) => [...new Set(each)].join())
  t.same(halves.toSorted(), ['served true', 'wait_exceeded'])
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
