import type { FeedState, ModelPlacement } from '@lswap/core/protocol'
import { bytes, duration } from '../../print/units.ts'
import { stateTone } from './models.ts'
import type { Panel } from './panel.ts'

/** A model on one host: where no router decides, that is what keys act on. */
export interface AgentRow {
  readonly model: string
  readonly placement: ModelPlacement
}

export const agentRows = ({ hosts, models }: Pick<FeedState, 'hosts' | 'models'>): readonly AgentRow[] =>
  // Machine by machine, as they were named
  hosts.flatMap(({ host }) =>
    models.flatMap(({ model, placements }) =>
      placements.flatMap((placement) => (placement.host === host ? [{ model, placement }] : [])),
    ),
  )

export const agentRowKey = ({ model, placement }: AgentRow): string => `${model} on ${placement.host}`

const isLive = ({ placement: { state } }: AgentRow): boolean => state !== 'stopped' && state !== 'unknown'

/** `-/4`: it has four slots, and did not tell how many of them are at work. */
const busyText = ({ busySlots, slots }: ModelPlacement): string => {
  if (slots === null) return String(busySlots ?? '-')
  return `${busySlots ?? '-'}/${slots}`
}

const sentence = ({ model, placement }: AgentRow, now: number): string => {
  const { host, state, since, failure } = placement
  const what = `${model} on ${host}`
  const time = duration(now - since)
  switch (state) {
    case 'unknown':
      return `${what}: its agent does not answer, so nobody knows what it does`
    case 'loading':
      return `${what} is loading for ${time}; u gives it up`
    case 'stopping':
      return `${what} is stopping for ${time}`
    case 'ready':
      return `${what} is ready for ${time}; u unloads it`
    default: {
      const why = failure === null ? '' : `; it ended by itself: ${failure.message.split('\n', 1)[0]}`
      return `${what} is stopped${why}; l loads it`
    }
  }
}

export const agentModelsPanel: Panel<AgentRow> = {
  name: 'models',
  title: ({ models }: FeedState) => {
    const ready = models.flatMap(({ placements }) => placements).filter(({ state }) => state === 'ready').length
    return `Models ${models.length}, ${ready} ready`
  },
  empty: 'these agents have no model',
  items: agentRows,
  keyOf: agentRowKey,
  words: ({ model, placement }) => `${model} ${placement.host} ${placement.state}`,
  hasHeader: true,
  isOld: ({ placement }) => placement.state === 'unknown',
  sorts: [
    { name: 'host' },
    { name: 'name', compare: (a, b) => (a.model < b.model ? -1 : Number(a.model > b.model)) },
    { name: 'memory', compare: (a, b) => (b.placement.memoryBytes ?? -1) - (a.placement.memoryBytes ?? -1) },
  ],
  columns: [
    { title: 'MODEL', cell: ({ model }) => model, priority: 0, width: 12, grows: { share: 2, max: 48 } },
    { title: 'HOST', cell: ({ placement }) => placement.host, priority: 2, width: 12, grows: { share: 1, max: 40 } },
    {
      title: 'STATE',
      cell: ({ placement }) => placement.state,
      priority: 1,
      width: 8,
      tone: ({ placement }) => stateTone(placement.state),
    },
    {
      title: 'FOR',
      cell: (row, now) => (isLive(row) ? duration(now - row.placement.since) : '-'),
      priority: 4,
      width: 7,
      align: 'right',
    },
    {
      title: 'MEMORY',
      cell: ({ placement }) => (placement.memoryBytes === null ? '-' : bytes(placement.memoryBytes)),
      priority: 3,
      width: 8,
      align: 'right',
    },
    {
      title: 'PID',
      cell: ({ placement }) => (placement.pid === null ? '-' : String(placement.pid)),
      priority: 5,
      width: 7,
      align: 'right',
    },
    {
      title: 'BUSY',
      cell: ({ placement }) => busyText(placement),
      priority: 6,
      width: 5,
      align: 'right',
    },
  ],
  sentence: (row, _state, now) => sentence(row, now),
}
