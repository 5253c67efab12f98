import assert from 'node:assert/strict'
import { placementKey } from '../../../src/index.ts'
import type { Watch } from './watch.ts'

/** A start that failed keeps its model from evicting anybody for at least a second. */
export const brokenModelsRest: Watch = ({ agents, brokenUntil, clock, seen }, event, commands) => {
  if (event.type !== 'swap-done' || event.result.outcome !== 'failed') return
  const { code } = event.result.failure
  if (code === 'out_of_memory') seen.add('out of memory')
  if (code === 'stop_failed') seen.add('stuck')
  const swap = agents.swapOf(event.generation)
  if (code === 'stop_failed' || code === 'host_unreachable' || swap === undefined) return
  const isTriedAgain = commands.some(
    (command) => command.type === 'start-swap' && command.swap.model === swap.model && command.swap.host === swap.host,
  )
  if (!isTriedAgain && agents.hosts.get(swap.host)?.up === true) brokenUntil.set(placementKey(swap), clock.now + 1_000)
}

/** Nobody loads in vain: a load that was not given up serves somebody before anything else can happen to it. */
export const everyLoadServes: Watch = ({ agents, requests }, event, commands) => {
  if (event.type !== 'swap-done' || event.result.outcome !== 'ready' || agents.wasAborted(event.generation)) return
  const swap = agents.swapOf(event.generation)
  const process = swap === undefined ? undefined : agents.processAt(swap)
  if (swap === undefined || process?.phase !== 'ready') return
  const isServed = commands.some((command) => command.type === 'grant' && command.placement.model === swap.model)
  assert.ok(isServed || requests.waitingFor(swap.model).length === 0, `the load of ${placementKey(swap)} serves nobody`)
}

/** Every wait that ends has a cause from its first moment on, and a served request is not blocked. */
export const causesCoverWaits: Watch = ({ subject }, _event, commands) => {
  for (const command of commands) {
    if (command.type !== 'grant' && command.type !== 'reject') continue
    const steps = subject.scheduler.timelineOf(command.request)?.steps ?? []
    let waitsSince: number | undefined
    for (const [place, step] of steps.entries()) {
      assert.ok(step.at >= (steps[place - 1]?.at ?? 0), `the steps of ${command.request} are out of order`)
      if (step.type === 'queued' || step.type === 'requeued') waitsSince = step.at
      else if (step.type === 'blocked') {
        assert.ok(waitsSince !== undefined, `${command.request} is blocked while it is served`)
      } else if (step.type === 'granted' || step.type === 'rejected') {
        const from: number | undefined = waitsSince
        const isCovered = from === step.at || steps.some(({ type, at }) => type === 'blocked' && at === from)
        assert.ok(from === undefined || isCovered, `${command.request} waited from ${from} without a cause`)
        waitsSince = undefined
      }
    }
  }
}
