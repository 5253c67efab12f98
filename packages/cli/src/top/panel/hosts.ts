import type { FeedState, HostState } from '@lswap/core/protocol'
import { bytes } from '../../print/units.ts'
import type { Panel } from './panel.ts'

/** A device of a host, or the host itself where no device of it is known. */
export interface HostRow {
  readonly host: string
  readonly up: boolean
  readonly isInUse: boolean
  readonly device: HostState['devices'][number] | undefined
  /** What the models there take, where engines tell. */
  readonly modelBytes: number | undefined
}

const METER_CELLS = 10

const hostRows = ({ hosts, models }: FeedState): readonly HostRow[] =>
  hosts.flatMap(({ host, up, devices, isInUse = false }): readonly HostRow[] => {
    const used = models.flatMap(({ placements }) =>
      placements.flatMap((one) => (one.host === host && one.memoryBytes !== null ? [one.memoryBytes] : [])),
    )
    const modelBytes = used.length === 0 ? undefined : used.reduce((sum, count) => sum + count, 0)
    if (devices.length === 0) return [{ host, up, isInUse, device: undefined, modelBytes }]
    return devices.map((device) => ({ host, up, isInUse, device, modelBytes }))
  })

const meter = (share: number | undefined): string => {
  if (share === undefined) return ''
  const cells = Math.round(Math.min(1, Math.max(0, share)) * METER_CELLS)
  return `[${'#'.repeat(cells)}${'-'.repeat(METER_CELLS - cells)}]`
}

const memoryShare = ({ device }: HostRow): number | undefined =>
  device?.totalBytes == null || device.usedBytes === null || device.totalBytes === 0
    ? undefined
    : device.usedBytes / device.totalBytes

const memoryText = ({ device, modelBytes }: HostRow): string => {
  if (device === undefined) return modelBytes === undefined ? '-' : `models ${bytes(modelBytes)}`
  const used = device.usedBytes === null ? '?' : bytes(device.usedBytes)
  return device.totalBytes === null ? used : `${used} / ${bytes(device.totalBytes)}`
}

const useText = ({ device }: HostRow): string => (device?.use == null ? '-' : `${Math.round(device.use * 100)} %`)

/** It is the last that was told, and may be wrong by now. */
const isOld = ({ up, device }: HostRow): boolean => device !== undefined && (!up || device.isStale === true)

const sentence = (row: HostRow): string => {
  const name = row.device === undefined ? row.host : `${row.host}, ${row.device.name}`
  const old = isOld(row) ? '; its memory and use are the last that it told' : ''
  if (!row.up) return `${name}: its agent does not answer${old}`
  const memory = row.device === undefined && row.modelBytes === undefined ? 'memory is not told' : memoryText(row)
  const use = row.device?.use == null ? '' : `, in use ${useText(row)} of the time`
  const router = row.isInUse ? '; a router uses it, and may undo what is ordered here' : ''
  return `${name}: its agent answers; ${memory}${use}${old}${router}`
}

export const hostsPanel: Panel<HostRow> = {
  name: 'hosts',
  title: ({ hosts }) => {
    const down = hosts.filter(({ up }) => !up).length
    const used = hosts.filter(({ isInUse }) => isInUse === true).length
    return `Hosts ${hosts.length}${down === 0 ? '' : `, ${down} DOWN`}${used === 0 ? '' : `, ${used} used by a router`}`
  },
  empty: 'no host',
  items: hostRows,
  keyOf: ({ host, device }) => `${host} ${device?.name ?? ''}`,
  words: ({ host, device }) => `${host} ${device?.name ?? ''}`,
  hasHeader: true,
  sorts: [{ name: 'as configured' }],
  columns: [
    { title: 'HOST', cell: ({ host }) => host, priority: 0, width: 8, grows: { share: 1, max: 24 } },
    {
      title: 'AGENT',
      cell: ({ up }) => (up ? 'up' : 'DOWN'),
      priority: 1,
      width: 5,
      tone: ({ up }) => (up ? 'good' : 'bad'),
    },
    { title: 'DEVICE', cell: ({ device }) => device?.name ?? '-', priority: 3, width: 8, grows: { share: 1, max: 32 } },
    { title: 'MEMORY', cell: memoryText, priority: 2, width: 17, align: 'right' },
    { title: 'FILLED', cell: (row) => meter(memoryShare(row)), priority: 5, width: METER_CELLS + 2, tone: fullTone },
    { title: 'USE', cell: (row) => (isOld(row) ? 'stale' : useText(row)), priority: 4, width: 5, align: 'right' },
    { title: '', cell: ({ device }) => meter(device?.use ?? undefined), priority: 6, width: METER_CELLS + 2 },
  ],
  sentence,
  isOld,
}

function fullTone(row: HostRow): 'bad' | 'busy' | 'good' | undefined {
  const share = memoryShare(row)
  if (share === undefined) return undefined
  if (share > 0.95) return 'bad'
  return share > 0.8 ? 'busy' : 'good'
}
