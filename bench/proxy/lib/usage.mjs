import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Processor time that a process has used so far, all its threads, in microseconds. */
export function cpuMicros(pid) {
  let sum = 0
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    sum += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
  }
  return sum / 1000
}

const megabytes = (pid, name) =>
  Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Resident memory in MiB. */
export const residentMiB = (pid) => megabytes(pid, 'VmRSS')

/** The most of it since `forgetPeak`. */
export const peakMiB = (pid) => megabytes(pid, 'VmHWM')

/** The peak counts from now on. */
export const forgetPeak = (pid) => writeFileSync(`/proc/${pid}/clear_refs`, '5')
