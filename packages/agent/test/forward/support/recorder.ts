import type { ForwardFailure, ForwardHandler, ForwardHead } from '../../../src/forward/exchange.ts'
import { createSignal } from './signal.ts'

/** Notes what a handler is told. */
export interface Recorder extends ForwardHandler {
  /** `info 103`, `switched 101`, `drain`, `head 200`, `data 5`, `end`, `error upstream_died`, in order. */
  readonly events: string[]
  readonly heads: ForwardHead[]
  readonly chunks: Buffer[]
  readonly failures: ForwardFailure[]
  trailers: readonly string[]
  /** What the next calls of `onData` answer. */
  accept: boolean
  /** Called after each event, from inside the handler. */
  hook: (event: string) => void
  text(): string
  bytes(): number
  until(condition: () => boolean, what: string): Promise<void>
  /** Resolves when `onEnd` or `onError` was called. */
  over(): Promise<void>
}

export const createRecorder = (): Recorder => {
  const signal = createSignal()
  const note = (event: string): void => {
    recorder.events.push(event)
    recorder.hook(event)
    signal.notify()
  }
  const recorder: Recorder = {
    events: [],
    heads: [],
    chunks: [],
    failures: [],
    trailers: [],
    accept: true,
    hook: () => {},
    text: () => Buffer.concat(recorder.chunks).toString('latin1'),
    bytes: () => recorder.chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    until: (condition, what) => signal.until(condition, what),
    over: () => signal.until(() => isOver(recorder), 'the end of the exchange'),
    onInformation: (status) => note(`info ${status}`),
    onUpgrade: (head) => {
      recorder.heads.push(head)
      note(`switched ${head.status}`)
    },
    onDrain: () => note('drain'),
    onHead: (head) => {
      recorder.heads.push(head)
      note(`head ${head.status}`)
    },
    onData: (chunk) => {
      recorder.chunks.push(chunk)
      note(`data ${chunk.length}`)
      return recorder.accept
    },
    onEnd: (trailers) => {
      recorder.trailers = trailers
      note('end')
    },
    onError: (failure) => {
      recorder.failures.push(failure)
      note(`error ${failure.failure.code}`)
    },
  }
  return recorder
}

const isOver = ({ events }: Recorder): boolean => events.some((event) => event === 'end' || event.startsWith('error'))
