import { rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { processesBelow } from './engines.ts'
import { perform, type Done } from './perform.ts'
import { planOf } from './plan.ts'
import { createRig, type Rig } from './rig.ts'
import { finish, settle } from './settle.ts'

/** What a run did and found. */
export interface Soaked {
  readonly faults: readonly string[]
  /** One line an operation: when, what, what became of it. */
  readonly story: readonly string[]
  /** How often each thing became of an operation. */
  readonly counts: Readonly<Record<string, number>>
  /** What it left there for whoever looks; nothing of a good run. */
  readonly folder: string
}

/** More that wait say nothing more, and the processes of a busy machine fall behind. */
const MOST_AT_ONCE = 40
/** After this long everything must have ended by limits of its own. */
const RUN_MS = 100_000

/** Real processes, random operations by this seed, and what must hold afterwards. */
export const soak = async (seed: number, operations: number): Promise<Soaked> => {
  const plan = planOf(seed, operations)
  const rig = await createRig(plan)
  const { steps, ...rest } = plan
  const story: string[] = [JSON.stringify(rest)]
  const counts: Record<string, number> = {}
  const faults: string[] = []
  const open = new Set<Promise<void>>()
  const began = performance.now()
  const at = (): string => `${((performance.now() - began) / 1000).toFixed(2)} s`

  const begin = (number: number): void => {
    const operation = steps[number]?.operation
    if (operation === undefined) return
    const line = story.push(`${at()} ${JSON.stringify(operation)}`) - 1
    const note = async (): Promise<void> => {
      const { said, fault } = await perform(rig, operation).catch((error: unknown): Done => ({
        said: 'broke',
        fault: String(error),
      }))
      story[line] += ` → ${said}, ${at()}${fault === undefined ? '' : ` FAULT ${fault}`}`
      const outcome = `${operation.type}: ${said.replace(/ \d+( ms)?$/, '')}`
      counts[outcome] = (counts[outcome] ?? 0) + 1
      if (fault !== undefined) faults.push(`operation ${number + 1}, ${JSON.stringify(operation)}: ${fault}`)
    }
    const done = note().finally(() => open.delete(done))
    open.add(done)
  }

  try {
    for (const [number, { waitMs }] of steps.entries()) {
      await pause(waitMs)
      while (open.size >= MOST_AT_ONCE) await Promise.race(open)
      // While there is none, nobody could ask: the next thing would be nothing
      await rig.router.up()
      begin(number)
    }
    const limit = new AbortController()
    await Promise.race([
      Promise.all(open),
      pause(RUN_MS, undefined, { signal: limit.signal }).then(
        () => faults.push(`after ${RUN_MS / 1000} s ${open.size} operations had no end`),
        () => {},
      ),
    ])
    limit.abort()
    faults.push(...(await settle(rig, plan)), ...(await finish(rig, plan)))
  } catch (error) {
    faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    await destroy(rig)
    if (faults.length === 0) await rm(rig.folder, { recursive: true, force: true })
  }
  return { faults, story, counts, folder: rig.folder }
}

const destroy = async (rig: Rig): Promise<void> => {
  rig.router.destroy()
  for (const agent of rig.agents.values()) agent.destroy()
  for (const { pid } of await processesBelow(rig.folder)) process.kill(pid, 'SIGKILL')
}
