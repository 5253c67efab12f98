import t from 'tap'
import { chat } from '../chat.ts'
import { told, emptied, enginePid, hear, inOrder, NO_PROCESS_TABLE, served, stage, type Stage } from './stage.ts'
import { until } from '../until.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

interface Trouble {
  readonly model: string
  /** Of the first start; the later ones are in order. */
  readonly switches: string
  readonly lines?: readonly string[]
  /** What a request for it gets. */
  readonly first: object
  readonly stream?: boolean
}

const WELL = { status: 200, isWhole: true }

const TROUBLES: readonly Trouble[] = [
  { model: 'ignores-sigterm', switches: '--unguarded --ignore-sigterm', first: WELL },
  { model: 'behind-a-wrapper', switches: '--wrapper --fork-child --ignore-sigterm', first: WELL },
  { model: 'hanging-stop-command', switches: '--ignore-sigterm', lines: ['cmdStop: sleep 1000'], first: WELL },
  { model: 'floods-its-output', switches: '--log-rate 20000 --tokens 200', first: WELL, stream: true },
  {
    model: 'hangs-in-health',
    switches: '--health-hang',
    first: { status: 504, code: 'start_timeout', isWhole: false },
  },
  { model: 'never-listens', switches: '--no-listen', first: { status: 504, code: 'start_timeout', isWhole: false } },
  {
    model: 'dies-in-its-load',
    switches: '--crash-at load',
    first: { status: 502, code: 'start_failed', isWhole: false },
  },
  {
    model: 'out-of-memory',
    switches: '--crash-at load --oom',
    first: { status: 502, code: 'out_of_memory', isWhole: false },
  },
  {
    model: 'crashes-in-mid-stream',
    switches: '--tokens 50 --crash-after-tokens 5',
    first: { status: 200, isWhole: false, text: /event: error[^]*upstream_died/ },
    stream: true,
  },
  {
    model: 'is-cut-in-mid-stream',
    switches: '--tokens 50 --cut-after-tokens 5',
    first: { status: 200, isWhole: false },
    stream: true,
  },
]

const LIMITS = ['unloadTimeout: 1', 'healthCheckTimeout: 2']

t.test(
  'engines that misbehave, through an agent: each makes room, and none is left',
  { skip: NO_PROCESS_TABLE },
  async (t) => {
    const ids = TROUBLES.map(({ model }) => model)
    const now = await stage(t, Object.fromEntries([...ids, 'plain'].map((id) => [id, ''])), {
      perModel: Object.fromEntries(TROUBLES.map(({ model, lines = [] }) => [model, [...LIMITS, ...lines]])),
    })
    for (const { model, switches, first, stream = false } of TROUBLES) {
      await t.test(model, async (t) => {
        await now.host.bench.behave(model, switches)
        const heard = await hear(chat(now.router().url, model, { stream, maxTokens: 1000 }))
        t.match(heard, first)
        await now.host.bench.behave(model, '')
        await served(t, now, 'plain')
        await inOrder(t, now, ['plain'])
        await served(t, now, model)
        await inOrder(t, now, [model])
      })
    }
    await emptied(t, now)
    await now.end()
  },
)

const isKnown = ({ router }: Stage, model: string): Promise<true> =>
  until('its end is known', async () =>
    (await told(router())).some((row) => row.model === model && row.state === 'ready') ? undefined : true,
  )

t.test(
  'an engine that dies whenever it is ready is left alone longer each time, and recovers',
  { skip: NO_PROCESS_TABLE },
  async (t) => {
    const now = await stage(t, { m: '' })
    const { host } = now
    const waits: number[] = []
    for (let crash = 1; crash <= 2; crash += 1) {
      await served(t, now, 'm')
      process.kill((await enginePid(host, 'm')) ?? Number.NaN, 'SIGKILL')
      await isKnown(now, 'm')
      const answers = await Promise.all(Array.from({ length: 5 }, () => chat(now.router().url, 'm')))
      for (const answer of answers) {
        const { error } = (await answer.json()) as { error: { code: string; message: string } }
        t.match(
          [answer.status, error.code, error.message],
          [502, 'upstream_died', /ended by SIGKILL while it was ready/],
        )
      }
      waits.push(Number(answers[0]?.headers.get('retry-after')))
      t.equal((await host.journal.starts()).length, crash, 'requests for it start nothing meanwhile')
    }
    t.ok(
      waits.every((seconds) => seconds === 1 || seconds === 2),
      `${waits.join()} s`,
    )
    await served(t, now, 'm')
    await inOrder(t, now, ['m'])
    t.equal((await host.journal.starts()).length, 3)
    await now.end()
  },
)
