import t from 'tap'
import { chat } from './chat.ts'
import { fleet, type FleetRig, type Program } from './fleet.ts'
import { pretendedGpu } from './pretended-gpu.ts'
import { until } from './until.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

interface Row {
  readonly model: string
  readonly state: string
  readonly size: { readonly bytes: number; readonly source: string } | null
}

const GIB = 2 ** 30
const USE_MEMORY = 'routing: { router: { use: memory } }\n'

const rows = async (rig: FleetRig, router: Program): Promise<readonly Row[]> =>
  (JSON.parse((await rig.lswap(router, 'ps', '--json')).stdout) as { running: readonly Row[] }).running
const loaded = async (rig: FleetRig, router: Program): Promise<readonly string[]> =>
  (await rows(rig, router)).filter(({ state }) => state === 'ready').map(({ model }) => model)

t.test('what models were measured to use on a host decides what goes there, also for the next router', async (t) => {
  const gpu = await pretendedGpu(t, 24)
  const models = { a: gpu.takes(10), b: gpu.takes(10), c: gpu.takes(8) }
  const rig = await fleet(t, { box: models }, { agentEnv: gpu.env })
  const router = await rig.router(USE_MEMORY)
  for (const model of Object.keys(models)) {
    t.equal((await chat(router.url, model)).status, 200)
    t.same(await loaded(rig, router), [model], 'of unknown size it has the host to itself')
    await until('it was measured', async () => {
      const [row] = await rows(rig, router)
      return (row?.size?.source === 'measured' && row.size.bytes === (model === 'c' ? 8 : 10) * GIB) || undefined
    })
  }
  t.equal((await chat(router.url, 'a')).status, 200)
  t.same(await loaded(rig, router), ['a', 'c'])
  t.equal((await chat(router.url, 'b')).status, 200)
  t.equal((await loaded(rig, router)).length, 2, 'exactly one made room')
  t.match((await rig.lswap(router, 'models')).stdout, /NEEDS[^]*a .*10 GiB measured/)

  const box = rig.host('box')
  box.agent().signal('SIGTERM')
  await box.agent().ended
  await box.restart()
  const next = await rig.router(USE_MEMORY)
  for (const model of ['a', 'b']) t.equal((await chat(next.url, model)).status, 200)
  t.same(await loaded(rig, next), ['a', 'b'], 'nobody had to be measured again')
})
