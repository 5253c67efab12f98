import {
  createScheduler,
  LOCAL_HOST,
  schedulerOptions,
  type Config,
  type ConfigReading,
  type ModelConfig,
  type Scheduler,
} from '@lswap/core'
import type { Agent } from '@lswap/agent'
import { systemClock, type Clock } from '../../../src/router/clock.ts'
import { createNotices } from '../../../src/router/feed/notices.ts'
import type { OwnLog } from '../../../src/router/logs/own-log.ts'
import type { RouterLimits } from '../../../src/router/limits.ts'
import { createRouter, type Router } from '../../../src/router/router.ts'
import type { TlsIdentity } from '../../../src/router/tls.ts'
import { config, model } from './config.ts'
import { createFakeAgent, type FakeAgent, type FakeAgentOptions } from './fake-agent.ts'
import { recordingLog, type RecordingLog } from './log.ts'

/** What a test of tap has; only this much is needed of it. */
interface Test {
  teardown(end: () => Promise<void>): void
}

export interface RigOptions extends Omit<FakeAgentOptions, 'host'> {
  readonly models?: readonly ModelConfig[]
  readonly limits?: Partial<RouterLimits>
  readonly config?: Partial<Config>
  readonly tls?: TlsIdentity
  readonly clock?: Clock
  readonly ownLog?: OwnLog
  /** Replaces parts of the fake. */
  readonly agent?: (fake: FakeAgent) => Agent
  /** Listens in on the scheduler. */
  readonly scheduler?: (real: Scheduler) => Scheduler
}

export interface Rig {
  readonly port: number
  readonly agent: FakeAgent
  readonly log: RecordingLog
  readonly router: Router
  /** What the next reload reads: a configuration, or what is wrong with it. */
  edit(next: ConfigReading | readonly ModelConfig[], changes?: Partial<Config>): void
}

/** A real router with the real scheduler on a free port, in front of an agent in memory. */
export const startRig = async (t: Test, options: RigOptions = {}): Promise<Rig> => {
  const { models = [model('a'), model('b')], limits = {}, config: changes = {}, tls, ...fakes } = options
  const settings = config(models, changes)
  const fake = createFakeAgent({ host: LOCAL_HOST, ...fakes })
  const log = recordingLog()
  const clock = options.clock ?? systemClock()
  const scheduler = createScheduler(schedulerOptions(settings))
  let reading: ConfigReading = { ok: true, config: settings, warnings: [] }
  const router = createRouter({
    config: settings,
    agents: new Map([[LOCAL_HOST, options.agent?.(fake) ?? fake]]),
    scheduler: options.scheduler?.(scheduler) ?? scheduler,
    clock,
    notices: createNotices(log, clock, (text) => text),
    version: '1.2.3',
    commit: 'abc',
    limits,
    tls,
    readConfig: async () => reading,
    ...(options.ownLog && { ownLog: options.ownLog }),
  })
  t.teardown(() => router.destroy())
  const [bound] = await router.listen({ host: '127.0.0.1', port: 0 })
  if (bound === undefined) throw new Error('nothing was bound')
  const edit: Rig['edit'] = (next, edits) => {
    reading = 'ok' in next ? next : { ok: true, config: config(next, { ...changes, ...edits }), warnings: [] }
  }
  return { port: bound.port, agent: fake, log, router, edit }
}
