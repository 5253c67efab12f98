import { agentRowKey, agentRows, type AgentRow } from '../panel/agent-models.ts'
import { chosenKey } from './list.ts'
import { said, telling } from './say.ts'
import type { Effect, Question, Step, Ui } from './ui.ts'

/** The model on its host that is chosen. */
export const chosenAgentRow = (ui: Ui): AgentRow | undefined => {
  if (ui.focus !== 'models' || ui.seen === undefined) return undefined
  const key = chosenKey(ui, 'models')
  return agentRows(ui.seen.state).find((row) => agentRowKey(row) === key)
}

/** Without a router nobody else decides: what would disturb somebody is asked first. */
export const actAtAgent = (ui: Ui, key: 'l' | 'u' | 'p' | 'x'): Step => {
  if (key === 'p') return said(ui, 'an agent knows no pins: a router keeps models loaded')
  if (key === 'x') return said(ui, 'nobody waits at an agent: a router has the queue')
  const row = chosenAgentRow(ui)
  if (row === undefined) return said(ui, 'choose a model first: Tab goes to the models')
  const { host, state } = row.placement
  if (state === 'unknown') return said(ui, `${host} does not answer`)
  return key === 'l' ? load(ui, row) : unload(ui, row)
}

const unload = (ui: Ui, { model, placement: { host, state } }: AgentRow): Step => {
  if (state === 'stopped') return said(ui, `${model} does not run on ${host}`)
  const force = isInUse(ui, host)
  const does = state === 'loading' ? 'gives its load up' : 'unloads it'
  return asked(ui, {
    text: `${warning(ui, host)}unload ${model} on ${host}?`,
    choices: [{ key: 'y', does, effect: { type: 'unload-at', host, model, force } }],
  })
}

const load = (ui: Ui, { model, placement: { host, state } }: AgentRow): Step => {
  if (state === 'ready') return said(ui, `${model} is ready on ${host} already`)
  if (state === 'loading') return said(ui, `${model} is loading on ${host} already`)
  const force = isInUse(ui, host)
  const others = agentRows(ui.seen?.state ?? { hosts: [], models: [] })
    .filter(
      ({ placement }) => placement.host === host && (placement.state === 'ready' || placement.state === 'loading'),
    )
    .map((row) => row.model)
  const effect = (evict: readonly string[]): Effect => ({ type: 'load-at', host, model, evict, force })
  if (others.length === 0 && !force) return { ui: telling(ui, `loading ${model} on ${host}…`), effects: [effect([])] }
  const text = `${warning(ui, host)}load ${model} on ${host}`
  if (others.length === 0)
    return asked(ui, { text: `${text}?`, choices: [{ key: 'y', does: 'loads it', effect: effect([]) }] })
  return asked(ui, {
    text: `${text}, where ${others.join(', ')} ${others.length === 1 ? 'runs' : 'run'}?`,
    choices: [
      { key: 'y', does: `in place of ${others.length === 1 ? 'it' : 'them'}`, effect: effect(others) },
      { key: 'b', does: 'beside', effect: effect([]) },
    ],
  })
}

const isInUse = ({ seen }: Ui, host: string): boolean =>
  seen?.state.hosts.find((one) => one.host === host)?.isInUse === true

const warning = (ui: Ui, host: string): string => (isInUse(ui, host) ? 'a router uses this host and may undo it; ' : '')

const asked = (ui: Ui, question: Question): Step => ({ ui: { ...ui, question }, effects: [] })
