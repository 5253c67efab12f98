import type { Failure } from '@lswap/core'
import {
  STOPPED_AS_ASKED,
  type AgentLook,
  type NoticeState,
  type ProcessState,
  type SwapState,
} from '@lswap/core/protocol'

/** What was heard of an agent. Times are of our own clock, those in the look too. */
export type AgentHeard =
  | { readonly type: 'looked'; readonly host: string; readonly at: number; readonly look: AgentLook }
  | { readonly type: 'lost'; readonly host: string; readonly at: number; readonly failure: Failure }

export interface HostView {
  readonly host: string
  /** The last one; undefined: it never answered. */
  readonly look: AgentLook | undefined
  /** Why it does not answer now. */
  readonly failure: Failure | undefined
}

/** Agents as they were seen, and what happened between one look and the next. */
export interface AgentsView {
  readonly hosts: readonly HostView[]
  /** The latest first. */
  readonly swaps: readonly SwapState[]
  readonly notices: readonly NoticeState[]
  /** Of what happened until now. */
  readonly count: number
}

const KEPT_SWAPS = 50
const KEPT_NOTICES = 100

export const startView = (hosts: readonly string[]): AgentsView => ({
  hosts: hosts.map((host) => ({ host, look: undefined, failure: undefined })),
  swaps: [],
  notices: [],
  count: 0,
})

/** The view after something was heard. Pure: the same looks give the same screen. */
export const afterHeard = (view: AgentsView, heard: AgentHeard): AgentsView => {
  const before = view.hosts.find(({ host }) => host === heard.host)
  if (before === undefined) return view
  const told = heard.type === 'looked' ? looked(view, before, heard) : lost(view, before, heard)
  const now: HostView =
    heard.type === 'looked'
      ? { host: heard.host, look: heard.look, failure: undefined }
      : { ...before, failure: heard.failure }
  return { ...told, hosts: view.hosts.map((one) => (one === before ? now : one)) }
}

const lost = (view: AgentsView, { failure }: HostView, { host, at, failure: why }: AgentHeard & { type: 'lost' }) =>
  failure === undefined ? noticed(view, { at, host, level: 'warn', text: why.message, model: null }) : view

const looked = (
  view: AgentsView,
  before: HostView,
  { host, at, look }: AgentHeard & { type: 'looked' },
): AgentsView => {
  const back = before.failure === undefined ? view : noticed(view, { at, host, level: 'info', text: 'answers again' })
  // What happened before somebody looked is not told as news
  if (before.look === undefined) return look.states.reduce((all, state) => began(all, host, state), back)
  const states = new Map(before.look.states.map((state) => [state.model, state]))
  return look.states.reduce((all, state) => changed(all, host, { was: states.get(state.model), state }), back)
}

interface Change {
  readonly was: ProcessState | undefined
  readonly state: ProcessState
}

const changed = (view: AgentsView, host: string, { was, state }: Change): AgentsView => {
  if (was?.phase === state.phase && was.epoch === state.epoch) return view
  const loading = view.swaps.find((swap) => swap.host === host && swap.model === state.model && swap.endedAt === null)
  switch (state.phase) {
    case 'starting':
      return began(view, host, state)
    case 'ready':
      if (loading !== undefined) return ended(view, loading, { state, result: 'ready' })
      return noticed(view, { at: state.since, host, level: 'info', model: state.model, text: `ready on ${host}` })
    case 'stopping':
      return view
    case 'stopped':
      return stopped(view, { host, state, loading })
    default:
      return state.phase satisfies never
  }
}

const stopped = (
  view: AgentsView,
  {
    host,
    state,
    loading,
  }: { readonly host: string; readonly state: ProcessState; readonly loading?: SwapState | undefined },
): AgentsView => {
  const failure = failureOf(state)
  if (loading !== undefined) return ended(view, loading, { state, result: failure === null ? 'aborted' : 'failed' })
  const told = { at: state.since, host, model: state.model }
  return failure === null
    ? noticed(view, { ...told, level: 'info', text: `stopped on ${host}` })
    : noticed(view, { ...told, level: 'error', text: failure.message })
}

const began = (view: AgentsView, host: string, state: ProcessState): AgentsView => {
  if (state.phase !== 'starting') return view
  const swap: SwapState = {
    generation: view.count + 1,
    model: state.model,
    host,
    evict: [],
    startedAt: state.since,
    phase: 'loading',
    fraction: null,
    expectedLoadMs: null,
    loadingAt: state.since,
    endedAt: null,
    result: null,
    failure: null,
  }
  return { ...view, count: view.count + 1, swaps: [swap, ...view.swaps].slice(0, KEPT_SWAPS) }
}

const ended = (
  view: AgentsView,
  swap: SwapState,
  { state, result }: { readonly state: ProcessState; readonly result: string },
): AgentsView => {
  const over = { ...swap, endedAt: state.since, result, failure: result === 'failed' ? failureOf(state) : null }
  return { ...view, swaps: view.swaps.map((one) => (one === swap ? over : one)) }
}

/** Why a process ended that nobody told to. */
export const failureOf = ({ lastExit }: ProcessState): { readonly code: string; readonly message: string } | null =>
  lastExit === null || lastExit.reason === STOPPED_AS_ASKED ? null : { code: 'exited', message: lastExit.reason }

const noticed = (
  view: AgentsView,
  notice: Omit<NoticeState, 'number' | 'model'> & { readonly model?: string | null },
): AgentsView => ({
  ...view,
  count: view.count + 1,
  notices: [{ model: null, ...notice, number: view.count + 1 }, ...view.notices].slice(0, KEPT_NOTICES),
})
