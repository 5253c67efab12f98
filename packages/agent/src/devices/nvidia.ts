import { platform } from 'node:process'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import type { Logger } from '../logs/logger.ts'
import type { DeviceClock } from './clock.ts'
import { APP_FIELDS, GPU_FIELDS, readComputeApps, readGpuLine } from './nvidia-smi-output.ts'
import { watchSplit } from './nvidia-split.ts'
import type { DeviceReading } from './reading.ts'
import { armTool, runTool, type ArmedTool } from './run-tool.ts'

/** How often the one long-lived process looks. */
const LOOP_MS = 1_000
/** Nothing for so long: it hangs, as it does with a driver that does. */
const SILENT_MS = 15_000
/** From a failure to the next try. */
const BACK_OFF_MS = 60_000
/** A driver that has to wake up first takes seconds. */
const SETTLED_MS = 3_000
const ONCE_LIMIT_MS = 5_000
const MAX_OUTPUT_BYTES = 1_048_576

const FORMAT = '--format=csv,noheader,nounits'
const QUERY = [`--query-gpu=${GPU_FIELDS}`, FORMAT]

export interface NvidiaOptions {
  /** Where `nvidia-smi` is. */
  readonly file: string
  readonly clock: DeviceClock
  readonly log: Logger
}

/** Device memory of one process on one device. */
export interface DeviceUse {
  readonly device: string
  readonly pid: number
  readonly bytes: number
}

export interface NvidiaSource {
  /** The latest readings; empty: nothing was read yet, or nothing can be. */
  latest(): readonly DeviceReading[]
  /** A reading that began after this call; what is known when it fails. */
  read(): Promise<readonly DeviceReading[]>
  /** A reading will be wanted in a moment, and soon. Returns what takes that back. */
  expectRead(): () => void
  /** Resolves when it was read once, or could not be, or is late. */
  readonly settled: Promise<void>
  /** Device memory of each process. */
  processes(): Promise<readonly DeviceUse[]>
  close(): void
}

/** NVIDIA's devices, by one `nvidia-smi` that runs as long as we do: each start of it costs the driver more than a look. */
export const createNvidiaSource = ({ file, clock, log }: NvidiaOptions): NvidiaSource => {
  const known = new Map<string, DeviceReading>()
  const stop = new AbortController()
  const limits = { signal: stop.signal, limitMs: ONCE_LIMIT_MS, maxBytes: MAX_OUTPUT_BYTES }
  let said: string | undefined
  let isBackingOff = false
  let cancelTimer: (() => void) | undefined
  const { resolve: settle, promise: settled } = deferred()
  const cancelSettling = clock.after(SETTLED_MS, settle)

  const take = (line: string): boolean => {
    const found = readGpuLine(line, clock.now())
    if (found === undefined) return false
    known.set(found.uuid, found.reading)
    said = undefined
    // The others come in the same moment
    setImmediate(settle)
    return true
  }

  const backOff = (reason: string): void => {
    isBackingOff = true
    known.clear()
    settle()
    // Once for each reason, not once a minute
    if (said !== reason) log.warn({ file }, `the NVIDIA devices can not be read: ${reason}; tried again every minute`)
    said = reason
    cancelTimer = clock.after(BACK_OFF_MS, () => {
      isBackingOff = false
      void follow()
    })
  }

  const follow = async (): Promise<void> => {
    if (stop.signal.aborted) return
    const watch = execa(file, [...QUERY, `--loop-ms=${LOOP_MS}`], {
      cancelSignal: stop.signal,
      reject: false,
      buffer: false,
      stdin: 'ignore',
      stderr: 'pipe',
      all: true,
      // Ctrl-C is for us alone: it would count as a failure of the tool. When we die, its next line ends it
      detached: true,
      windowsHide: true,
    })
    let message = 'it ended without a word'
    const expect = (): void => {
      cancelTimer?.()
      cancelTimer = clock.after(SILENT_MS, () => {
        message = `nothing came from it for ${SILENT_MS / 1_000} s`
        watch.kill('SIGKILL')
      })
    }
    expect()
    const lines = createInterface({ input: watch.all, crlfDelay: Infinity })
    lines.on('line', (line) => {
      if (take(line)) expect()
      else if (line.trim() !== '') message = line.trim()
    })
    const { failed, shortMessage, code } = await watch
    lines.close()
    cancelTimer?.()
    if (stop.signal.aborted) return
    backOff(failed && code !== undefined ? (shortMessage ?? message) : message)
  }

  const once = async (args: readonly string[]): Promise<string | undefined> => {
    if (isBackingOff || stop.signal.aborted) return undefined
    return runTool(file, args, limits)
  }

  let armed: ArmedTool | undefined
  /** Where the one at hand has no answer, which may be for want of a shell, the tool itself is asked. */
  const readNow = async (): Promise<string | undefined> => {
    const tool = armed
    armed = undefined
    return (await tool?.run()) ?? once(QUERY)
  }

  const split = watchSplit({ clock, known, page: () => once(['-q', '-x']) })

  void follow()
  return {
    latest: () => split.readings(),
    async read() {
      const [lines] = await Promise.all([readNow(), split.look()])
      for (const line of (lines ?? '').split('\n')) take(line)
      return split.readings()
    },
    expectRead() {
      if (armed !== undefined || isBackingOff || stop.signal.aborted || platform === 'win32') return () => {}
      const mine = armTool(file, QUERY, limits)
      armed = mine
      return () => {
        if (armed !== mine) return
        armed = undefined
        mine.drop()
      }
    },
    async processes() {
      const [output] = await Promise.all([once([`--query-compute-apps=${APP_FIELDS}`, FORMAT]), split.look()])
      const apps = readComputeApps(output ?? '')
      // Of a device that is split only the parts count
      const whole = apps.filter(({ uuid }) => known.has(uuid) && !split.isSplit(uuid))
      const named = whole.map(({ uuid, pid, bytes }) => ({ device: known.get(uuid)?.name ?? uuid, pid, bytes }))
      return [...named, ...split.processes()]
    },
    settled,
    close() {
      settle()
      cancelSettling()
      stop.abort()
      cancelTimer?.()
    },
  }
}

const deferred = (): { readonly promise: Promise<void>; readonly resolve: () => void } => {
  let settle: (() => void) | undefined
  const promise = new Promise<void>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: () => settle?.() }
}
