import { ResponseReader } from '../../../src/forward/response-reader.ts'
import { createRecorder } from './recorder.ts'
import type { Recorder } from './recorder.ts'

export interface Read {
  readonly recorder: Recorder
  readonly reader: ResponseReader
  /** Bytes behind the answer. */
  readonly left: number
}

export const readParts = (parts: readonly Buffer[], method = 'GET'): Read => {
  const recorder = createRecorder()
  const reader = new ResponseReader(recorder, { method })
  let left = 0
  for (const part of parts) left = part.length - reader.read(part, 0, part.length)
  return { recorder, reader, left }
}

export const read = (text: string, method?: string): Read => readParts([Buffer.from(text, 'latin1')], method)

export const cutAt = (text: string, ...positions: number[]): Buffer[] => {
  const bytes = Buffer.from(text, 'latin1')
  const edges = [0, ...positions, bytes.length]
  return edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge))
}
