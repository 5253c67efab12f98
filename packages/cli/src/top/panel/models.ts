import type { FeedState, ModelPlacement, ModelState } from '@lswap/core/protocol'
import { bytes, duration } from '../../print/units.ts'
import type { Tone } from '../cells/row.ts'
import { modelSentence } from './model-sentence.ts'
import type { Panel } from './panel.ts'

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

const live = ({ placements }: ModelState): readonly ModelPlacement[] =>
  placements.filter(({ state }) => state !== 'stopped')

const busyText = (model: ModelState): string => {
  const places = live(model)
  if (places.length === 0) return '-'
  const slots = sum(places.map((one) => one.slots ?? 0))
  const inFlight = sum(places.map((one) => one.inFlight))
  return slots === 0 ? String(inFlight) : `${inFlight}/${slots}`
}

const memoryOf = (model: ModelState): number => sum(live(model).map((one) => one.memoryBytes ?? 0))

const earliest = (times: readonly (number | null)[]): number | undefined => {
  const known = times.flatMap((time) => (time === null ? [] : [time]))
  return known.length === 0 ? undefined : Math.min(...known)
}

const idleText = (model: ModelState, now: number): string => {
  const places = live(model)
  const at = earliest(places.map((one) => one.idleAt))
  // One of several that works still means that the model is in use
  return at === undefined || places.some((one) => one.idleAt === null) ? '-' : duration(now - at)
}

const untilText = (model: ModelState, now: number): string => {
  if (model.pinned) return 'pinned'
  const at = earliest(live(model).map((one) => one.untilAt))
  return at === undefined ? '-' : duration(at - now)
}

export const stateTone = (state: string): Tone | undefined => {
  if (state === 'ready') return 'good'
  if (state === 'stuck' || state === 'unknown') return 'bad'
  return state === 'stopped' ? 'quiet' : 'busy'
}

const hostsOf = (model: ModelState): string => {
  const places = live(model)
  return (places.length === 0 ? model.placements : places).map(({ host }) => host).join(' ')
}

export const modelsPanel: Panel<ModelState> = {
  name: 'models',
  title: ({ models }: FeedState) => {
    const ready = models.filter(({ state }) => state === 'ready').length
    return `Models ${models.length}, ${ready} ready`
  },
  empty: 'no model is configured',
  items: ({ models }) => models,
  keyOf: ({ model }) => model,
  words: ({ model, name, aliases, state, placements }) =>
    [model, name ?? '', ...aliases, state, ...placements.map(({ host }) => host)].join(' '),
  hasHeader: true,
  sorts: [
    { name: 'as configured' },
    { name: 'name', compare: (a, b) => (a.model < b.model ? -1 : 1) },
    { name: 'state', compare: (a, b) => rank(a.state) - rank(b.state) },
    { name: 'waiting', compare: (a, b) => b.waiting - a.waiting },
    { name: 'wait p95', compare: (a, b) => (b.waitP95Ms ?? -1) - (a.waitP95Ms ?? -1) },
    { name: 'memory', compare: (a, b) => memoryOf(b) - memoryOf(a) },
  ],
  columns: [
    { title: 'MODEL', cell: ({ model }) => model, priority: 0, width: 12, grows: { share: 2, max: 48 } },
    {
      title: 'STATE',
      cell: ({ state }) => state,
      priority: 1,
      width: 8,
      tone: ({ state }) => stateTone(state),
    },
    { title: 'BUSY', cell: busyText, priority: 2, width: 5, align: 'right' },
    {
      title: 'QUEUE',
      cell: ({ waiting }) => String(waiting),
      priority: 3,
      width: 5,
      align: 'right',
      tone: ({ waiting }) => (waiting > 0 ? 'busy' : undefined),
    },
    {
      title: 'P95',
      cell: ({ waitP95Ms }) => (waitP95Ms === null ? '-' : duration(waitP95Ms)),
      priority: 6,
      width: 7,
      align: 'right',
    },
    {
      title: 'TOK/S',
      cell: ({ tokensPerSecond }) => (tokensPerSecond === undefined ? '-' : String(tokensPerSecond)),
      priority: 8,
      width: 5,
      align: 'right',
    },
    {
      title: 'MEMORY',
      cell: (model) => (memoryOf(model) === 0 ? '-' : bytes(memoryOf(model))),
      priority: 4,
      width: 8,
      align: 'right',
    },
    { title: 'IDLE', cell: idleText, priority: 7, width: 7, align: 'right' },
    { title: 'UNTIL', cell: untilText, priority: 5, width: 7, align: 'right' },
    { title: 'HOST', cell: hostsOf, priority: 9, width: 10, grows: { share: 1, max: 40 } },
  ],
  sentence: modelSentence,
}

const RANKS = ['stuck', 'loading', 'stopping', 'ready']

const rank = (state: string): number => {
  const at = RANKS.indexOf(state)
  return at === -1 ? RANKS.length : at
}
