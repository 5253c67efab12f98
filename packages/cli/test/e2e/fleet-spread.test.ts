import t from 'tap'
import { chat } from './chat.ts'
import { fleet } from './fleet.ts'
import { begun, load } from './replicas.ts'
import { until } from './until.ts'

// Many processes, on machines that have other work too
t.setTimeout(170_000)

const REPLICAS = 8
const BURST = 480
const SHARE = BURST / REPLICAS
/** Room for twice its share: nobody gets it only because the others are full. */
const SLOTS = 2 * SHARE
const LIMIT_MS = 50_000

t.test('480 requests at once to 8 ready replicas end within a tenth of 60 each', async (t) => {
  const names = Array.from({ length: REPLICAS }, (_, at) => `h${at}`)
  // None ends before all have come, however long a busy machine takes for that
  const engine = { m: `--parallel ${SLOTS} --tokens 2 --first-token-ms 60000` }
  const rig = await fleet(t, Object.fromEntries(names.map((name) => [name, engine])))
  const hosts = names.map((name) => rig.host(name))
  await Promise.all(hosts.map((host) => load(host)))
  // Seventeen processes on a busy machine tell late how they are: that one is passed over for a while is another rule
  const router = await rig.router('routing: { picker: { staleAfterMs: 60000 } }\n')
  const leave = new AbortController()
  const answers = Array.from({ length: BURST }, () => chat(router.url, 'm', { signal: leave.signal }))
  const ended = Promise.allSettled(answers)
  const shares = await until(
    'all are with an engine',
    async () => {
      const served = await Promise.all(hosts.map((host) => begun(host)))
      return served.reduce((sum, each) => sum + each, 0) === BURST ? served : undefined
    },
    LIMIT_MS,
  )
  t.ok(
    shares.every((each) => Math.abs(each - SHARE) <= SHARE / 10),
    shares.join(', '),
  )
  leave.abort()
  await ended
  for (const host of hosts) t.same(await host.journal.starts(), ['m'])
})
