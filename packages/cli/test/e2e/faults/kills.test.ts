import t from 'tap'
import { gone } from '../processes.ts'
import { nextOf, oldOf, PHASES, REACH, type Phase, type Reached } from './phases.ts'
import { emptied, inOrder, NO_PROCESS_TABLE, served, stage, type Stage } from './stage.ts'

// Many processes, on machines that have other work too
t.setTimeout(300_000)

/** What becomes of a request that had no byte of an answer yet: another attempt, an error of this code, or its connection ends. */
type Fate = 'served' | 'start_failed' | 'cut'

const SAVED: Readonly<Record<Phase, Fate>> = {
  draining: 'served',
  stopping: 'served',
  'waiting for memory': 'served',
  starting: 'served',
  loading: 'served',
  ready: 'served',
  streaming: 'served',
  unloading: 'served',
}

interface Victim {
  readonly title: string
  readonly name: 'agent' | 'router' | 'engine'
  /** Kills it, and starts it again where nothing else does. */
  readonly kill: (stage: Stage, reached: Reached) => Promise<void>
  readonly fates: Readonly<Partial<Record<Phase, Fate>>>
  /** How `lswap unload` ends. */
  readonly unload: readonly number[]
}

const VICTIMS: readonly Victim[] = [
  {
    title: 'SIGKILL of the agent in each phase of a swap',
    name: 'agent',
    kill: async ({ host, takenMiB }) => {
      host.agent().signal('SIGKILL')
      await host.agent().ended
      await takenMiB(0)
      await host.restart()
    },
    fates: SAVED,
    unload: [0, 1, 5],
  },
  {
    title: 'SIGKILL of the router in each phase of a swap',
    name: 'router',
    kill: async (now) => {
      now.router().signal('SIGKILL')
      await now.router().ended
      await now.takenMiB(0)
      await now.replaceRouter()
    },
    fates: Object.fromEntries(PHASES.map((phase) => [phase, 'cut'])),
    unload: [5],
  },
  {
    title: 'SIGKILL of the engine in each phase of a swap',
    name: 'engine',
    kill: async ({ takenMiB }, { engine }) => {
      await takenMiB(0)
      if (engine === undefined) return
      process.kill(engine, 'SIGKILL')
      await gone(engine)
    },
    fates: { ...SAVED, starting: 'start_failed', loading: 'start_failed' },
    unload: [0],
  },
]

const models = Object.fromEntries(PHASES.flatMap((phase) => [oldOf(phase), nextOf(phase)]).map((id) => [id, '']))
const perModel = Object.fromEntries(
  Object.keys(models).map((id) => [
    id,
    ['unloadTimeout: 2', ...(id === nextOf('waiting for memory') ? ['memory: 20GiB'] : [])],
  ]),
)

for (const { title, name, kill, fates, unload } of VICTIMS) {
  t.test(title, { skip: NO_PROCESS_TABLE }, async (t) => {
    const now = await stage(t, models, { perModel })
    for (const phase of PHASES) {
      await t.test(`${name}, ${phase}`, async (t) => {
        const names = { old: oldOf(phase), next: nextOf(phase) }
        const reached = await REACH[phase](now, names)
        if (phase === 'waiting for memory')
          t.equal(reached.engine, undefined, 'nothing is started before there is room')
        else t.ok(reached.engine, 'there is an engine to lose')
        await kill(now, reached)
        if (reached.stream !== undefined) {
          const { status, isWhole } = await reached.stream
          t.equal(status, 200)
          t.equal(isWhole, false, 'a client can see that its answer is not whole')
        }
        if (reached.waiting !== undefined) {
          const { status, code, text, isWhole } = await reached.waiting
          const fate = isWhole ? 'served' : (code ?? 'cut')
          t.equal(fate, fates[phase], `${status} ${text}`)
        }
        if (reached.command !== undefined) {
          const { code, stderr } = await reached.command
          t.ok(unload.includes(code ?? -1), `lswap unload ended with ${code}: ${stderr}`)
        }
        await inOrder(t, now)
        for (const model of Object.values(names)) {
          await served(t, now, model)
          await inOrder(t, now, [model])
        }
        await emptied(t, now)
      })
    }
    await now.end()
  })
}
