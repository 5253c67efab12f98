import t from 'tap'
import { chat } from '../chat.ts'
import { callAgent, fleet, type HostRig } from '../fleet.ts'
import { isChat } from '../journal.ts'
import { until } from '../until.ts'

t.setTimeout(120_000)

const load = async (host: HostRig): Promise<void> => {
  const answer = await callAgent(host, '/v1/swap', { method: 'POST', body: JSON.stringify({ model: 'm', evict: [] }) })
  const text = await answer.text()
  if (!text.includes('"type":"ready"')) throw new Error(`${host.id}: ${text}`)
}

const begun = async ({ journal }: HostRig): Promise<number> => (await journal.lines()).filter(isChat('begin')).length

t.test('who comes after a client that left is not sent to the engine that is still at it', async (t) => {
  const engine = { m: '--parallel 2 --prefill-ms 600000 --linger-ms 600000' }
  const rig = await fleet(t, { left: engine, right: engine })
  const [left, right] = [rig.host('left'), rig.host('right')]
  await Promise.all([left, right].map(load))
  // Of two that do nothing the first by its name is taken
  const router = await rig.router('routing: { picker: { use: least-loaded } }\n')
  const [first, second] = [new AbortController(), new AbortController()]
  const ended = [chat(router.url, 'm', { signal: first.signal }).catch(() => {})]
  await left.journal.saw('the first request', isChat('begin'))
  first.abort()
  await left.journal.saw('its end', isChat('aborted'))
  await until('the router knows', async () => {
    const { running } = (await (await fetch(`${router.url}/running`)).json()) as { running: { inFlight: number }[] }
    return running.every(({ inFlight }) => inFlight === 0) ? true : undefined
  })
  ended.push(chat(router.url, 'm', { signal: second.signal }).catch(() => {}))
  await until('an engine has the second', async () =>
    (await begun(left)) + (await begun(right)) === 2 ? true : undefined,
  )
  t.equal(await begun(right), 1)
  second.abort()
  await Promise.all(ended)
  // It is no reason to wait: what nobody asked for is ended at once
  t.equal((await rig.lswap(router, 'unload', 'm')).code, 0)
  t.same([...(await left.bench.running()), ...(await right.bench.running())], [])
})
