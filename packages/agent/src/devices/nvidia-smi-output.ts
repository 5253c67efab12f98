import type { DeviceReading } from './reading.ts'

const MEBIBYTE = 1_048_576

/** The name comes last: it may hold commas. */
export const GPU_FIELDS = 'index,uuid,memory.total,memory.used,utilization.gpu,temperature.gpu,power.draw,name'

/** `[N/A]`, `[Not Supported]`, `[Unknown Error]`, `ERR!` … are no numbers, and mean that nobody can tell. */
const numberOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : null

const scaled = (text: string | undefined, factor: number): number | null => {
  const number = numberOf(text)
  return number === null ? null : number * factor
}

export interface GpuLine {
  /** How the tool names the device where it tells of processes. */
  readonly uuid: string
  readonly reading: DeviceReading
}

/** One line of `--query-gpu` as csv without header and units; undefined: it is none, but a message. */
export const readGpuLine = (line: string, sampledAt: number): GpuLine | undefined => {
  const [index = '', uuid = '', total, used, use, temperature, power, ...name] = line
    .split(',')
    .map((field) => field.trim())
  if (!/^\d+$/.test(index) || name.length === 0) return undefined
  const reading = {
    name: `gpu${Number(index)}`,
    label: name.join(', '),
    source: 'nvidia',
    totalBytes: scaled(total, MEBIBYTE),
    usedBytes: scaled(used, MEBIBYTE),
    use: scaled(use, 0.01),
    temperatureC: numberOf(temperature),
    powerWatts: numberOf(power),
    sampledAt,
  }
  return { uuid, reading }
}

export const APP_FIELDS = 'gpu_uuid,pid,used_memory'

/** Device memory of one process on one device. */
export interface ProcessUse {
  readonly uuid: string
  readonly pid: number
  readonly bytes: number
}

/** Processes that the tool can not see into are left out. */
export const readComputeApps = (output: string): readonly ProcessUse[] =>
  output.split('\n').flatMap((line) => {
    const [uuid = '', pid, used] = line.split(',').map((field) => field.trim())
    const number = numberOf(pid)
    const bytes = scaled(used, MEBIBYTE)
    return number === null || bytes === null ? [] : [{ uuid, pid: number, bytes }]
  })
