import { ask } from './ask.ts'
import { enginesBelow, spoil } from './engines.ts'
import type { Operation } from './plan.ts'
import type { Rig } from './rig.ts'

/** What became of an operation, in a word or two, and what is wrong with that. */
export interface Done {
  readonly said: string
  readonly fault?: string | undefined
}

/** What an order by hand may be answered beside success. */
const CLEAR =
  /"code":"(evicted|host_unreachable|model_impossible|out_of_memory|shutting_down|start_failed|start_timeout|unloaded|upstream_died|wait_exceeded)"/
const ORDER_MS = 60_000

/** Carries one operation out; resolves when all of it has ended. */
export const perform = async (rig: Rig, operation: Operation): Promise<Done> => {
  const { router, agents } = rig
  const agent = (host: string) => {
    const found = agents.get(host)
    if (found === undefined) throw new Error(`no agent ${host}`)
    return found
  }
  switch (operation.type) {
    case 'ask':
      return toldOf(await ask(rig, operation))
    case 'burst': {
      const ends = await Promise.all(operation.models.map((model) => ask(rig, { model, stream: true, tokens: 5 })))
      const told = ends.map(toldOf)
      return { said: told.map(({ said }) => said).join(' '), fault: told.find(({ fault }) => fault)?.fault }
    }
    case 'load':
    case 'unload':
    case 'pin':
    case 'unpin':
      return order(rig, `/api/models/${operation.type}/${operation.model}`)
    case 'unload-all':
      return order(rig, '/api/models/unload')
    case 'reload-router':
      await rig.edit('router', (text) =>
        text.includes('use: fifo')
          ? text.replace('use: fifo', 'use: serial')
          : text.replace('use: serial', 'use: fifo'),
      )
      return order(rig, '/api/reload')
    case 'reload-agent': {
      const { host, model } = operation
      await rig.edit(host, (text) =>
        text.replace(
          new RegExp(`--alias ${model} --parallel (\\d)`),
          (_, slots: string) => `--alias ${model} --parallel ${slots === '3' ? 2 : 3}`,
        ),
      )
      agent(host).signal('SIGHUP')
      return { said: 'told' }
    }
    case 'kill-router':
    case 'end-router':
      await router.again(operation.type === 'kill-router' ? 'SIGKILL' : 'SIGTERM')
      return { said: 'back' }
    case 'kill-agent':
    case 'end-agent':
      await agent(operation.host).again(operation.type === 'kill-agent' ? 'SIGKILL' : 'SIGTERM')
      return { said: 'back' }
    case 'pause-agent':
      await agent(operation.host).pause(operation.ms)
      return { said: 'goes on' }
    case 'kill-engine':
    case 'pause-engine': {
      const found = (await enginesBelow(rig.folder)).find(
        ({ host, model }) => host === operation.host && model === operation.model,
      )
      if (found === undefined) return { said: 'does not run' }
      if (operation.type === 'kill-engine') send(found.pid, 'SIGKILL')
      else {
        send(found.pid, 'SIGSTOP')
        await new Promise((resolve) => void setTimeout(resolve, operation.ms))
        // Its number may be another process's by now
        if ((await enginesBelow(rig.folder)).some(({ pid }) => pid === found.pid)) send(found.pid, 'SIGCONT')
      }
      return { said: `pid ${found.pid}` }
    }
    case 'spoil':
      await spoil(rig.folderOf(operation.host), operation)
      return { said: 'left for its next start' }
    default:
      return operation satisfies never
  }
}

const toldOf = ({ outcome, code, fault, ms }: Awaited<ReturnType<typeof ask>>): Done => ({
  said: `${outcome}${code === undefined ? '' : ` ${code}`} ${ms} ms`,
  fault,
})

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended
  }
}

/** What somebody asks of the router by hand. */
const order = async ({ router }: Rig, path: string): Promise<Done> => {
  const began = performance.now()
  const limit = AbortSignal.timeout(ORDER_MS)
  try {
    const answer = await fetch(`${router.url()}${path}`, { method: 'POST', signal: limit })
    const text = await answer.text()
    const isClear = answer.status === 200 || CLEAR.test(text)
    return { said: `${answer.status}`, fault: isClear ? undefined : `${path}: ${answer.status} ${text.slice(0, 300)}` }
  } catch (error) {
    if (!limit.aborted && router.wasDownSince(began)) return { said: 'lost-router' }
    return { said: 'broke', fault: `${path}: ${limit.aborted ? `no end within ${ORDER_MS / 1000} s` : String(error)}` }
  }
}
