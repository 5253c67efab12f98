import t, { type Test } from 'tap'
import { chat } from '../chat.ts'
import { fleet, type FleetRig, type Program } from '../fleet.ts'
import { isChat } from '../journal.ts'
import { until } from '../until.ts'
import { cable, hasCables } from './cable.ts'
import { enginePid, hear, NO_PROCESS_TABLE } from './stage.ts'

t.setTimeout(180_000)

/** Cut off for so long. */
const OUTAGE_MS = 5_000

const isUp = async (router: Program, id: string): Promise<boolean | undefined> => {
  const { hosts } = (await (await fetch(`${router.url}/running`)).json()) as { hosts: { host: string; up: boolean }[] }
  return hosts.find(({ host }) => host === id)?.up
}

interface Cut {
  readonly rig: FleetRig
  readonly cut: () => void
  readonly heal: () => void
}

/** A request without a byte on a machine that falls silent is answered by another one; the machine is back as it was. */
const survives = async (t: Test, { rig, cut, heal }: Cut): Promise<void> => {
  const [left, right] = [rig.host('left'), rig.host('right')]
  await left.bench.behave('both', '--first-token-ms 600000')
  const router = await rig.router()
  const asked = hear(chat(router.url, 'both')).then((heard) => ({ heard, at: performance.now() }))
  // Not what its agent asks it for: what is cut off before the request got there has nothing to end
  await left.journal.saw('the request', isChat('begin'))
  const pid = await enginePid(left, 'both')
  const began = performance.now()
  cut()
  const over = new Promise<void>((resolve) => {
    setTimeout(resolve, OUTAGE_MS)
  })
  await until('it is lost', async () => ((await isUp(router, 'left')) === false ? true : undefined))
  const { heard, at } = await asked
  const elsewhereMs = at - began
  t.comment(`answered elsewhere, with a load, after ${elsewhereMs.toFixed(0)} ms`)
  t.match(heard, { status: 200, isWhole: true })
  // Three seconds of silence: it was not the cut itself that told. How soon after that is bench/fleet's
  t.ok(elsewhereMs > 2_000, `${elsewhereMs} ms`)
  t.same(await right.journal.starts(), ['both'])
  await over
  heal()
  await until('it is back', async () => ((await isUp(router, 'left')) === true ? true : undefined))
  const ghost = await left.journal.saw('the end of what was given up', isChat('aborted'))
  t.equal(ghost.pid, pid, 'its engine was told that nobody waits any more')
  t.equal(await enginePid(left, 'both'), pid, 'and goes on')
  t.same(await left.journal.starts(), ['both'])
  t.equal((await chat(router.url, 'only')).status, 200, 'and it can be used')
}

const MODELS = { left: { both: '', only: '' }, right: { both: '' } }

t.test(
  'a machine whose cable is pulled for five seconds',
  {
    skip: hasCables() ? NO_PROCESS_TABLE : 'a network namespace needs root on Linux',
  },
  async (t) => {
    const { pull, plug, ...net } = cable(t)
    const rig = await fleet(t, MODELS, { net: { left: net } })
    await survives(t, { rig, cut: pull, heal: plug })
  },
)

t.test('a machine whose agent stands still for five seconds', { skip: NO_PROCESS_TABLE }, async (t) => {
  const rig = await fleet(t, MODELS)
  const { signal } = rig.host('left').agent()
  await survives(t, { rig, cut: () => signal('SIGSTOP'), heal: () => signal('SIGCONT') })
})
