import type { Failure } from '@lswap/core'
import type { ModelScan, ModelScanner } from '../model-name.ts'
import { parametersOf } from './parameters.ts'

/** The headers of one part. */
const MAX_HEADER_BYTES = 16 * 1024
/** No model is called that. */
const MAX_VALUE_BYTES = 8_192
/** Blanks that may follow a boundary on its line. */
const MAX_PADDING = 256

const MORE: ModelScan = { type: 'more' }
const NO_MODEL: ModelScan = {
  type: 'failed',
  failure: { code: 'model_missing', message: 'The form has no field "model".' },
  isWhole: true,
}
const NEW_LINE = Buffer.from('\r\n')
const END_OF_HEADERS = Buffer.from('\r\n\r\n')

/** What is read: a part that does not matter (or what comes before the first), headers of a part, the field `model`. */
type Reading = 'other' | 'headers' | 'model'

export interface FieldScannerOptions {
  /** Reads on to the end of the form, and takes no second `model`. */
  readonly isWhole: boolean
}

/**
 * Finds the field `model` of a multipart body that comes in chunks, in whichever part it is. Of the others only as much
 * is kept as a boundary that is cut in two needs.
 */
export const createFieldScanner = (boundary: string, { isWhole }: FieldScannerOptions): ModelScanner => {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  let reading: Reading = 'other'
  // As if a line had ended before the first boundary, so that all look alike
  let left: Buffer = NEW_LINE
  let verdict: ModelScan = MORE
  let first: ModelScan | undefined

  const fail = (message: string, code: Failure['code'] = 'invalid_request'): void => {
    verdict = { type: 'failed', failure: { code, message } }
  }

  const push = (chunk: Uint8Array): ModelScan => {
    if (verdict !== MORE) return verdict
    let data: Buffer = Buffer.concat([left, chunk])
    for (;;) {
      const next = reading === 'headers' ? readHeaders(data) : readPart(data)
      // Nothing more in these bytes
      if (next === undefined || verdict !== MORE) return verdict
      data = next
    }
  }

  /** Returns what follows the headers; undefined: they are not all there, or too long. */
  const readHeaders = (data: Buffer): Buffer | undefined => {
    const end = data.indexOf(END_OF_HEADERS)
    if ((end === -1 ? data.length : end) > MAX_HEADER_BYTES) {
      fail(`The headers of a part are larger than ${MAX_HEADER_BYTES} bytes.`)
      return undefined
    }
    if (end === -1) {
      left = data
      return undefined
    }
    reading = isModel(data.toString('utf8', 0, end)) ? 'model' : 'other'
    // With the line end before it: the boundary of an empty part follows at once
    return data.subarray(end + NEW_LINE.length)
  }

  /** Returns the headers of the next part, with the line end before them; undefined: it is not there yet. */
  const readPart = (data: Buffer): Buffer | undefined => {
    for (let from = 0; ;) {
      const at = data.indexOf(delimiter, from)
      if (at === -1) {
        keep(data, Math.max(0, data.length - delimiter.length + 1))
        return undefined
      }
      const line = lineAfter(data, at + delimiter.length)
      if (line === 'unknown') {
        keep(data, at)
        return undefined
      }
      if (line !== 'text') {
        if (reading === 'model') found(data.subarray(NEW_LINE.length, Math.max(NEW_LINE.length, at)))
        if (verdict !== MORE) return undefined
        if (line !== 'last') {
          reading = 'headers'
          return data.subarray(line)
        }
        verdict = first ?? NO_MODEL
        return undefined
      }
      // It only begins like a boundary
      from = at + 1
    }
  }

  const found = (value: Buffer): void => {
    const model = value.toString('utf8')
    if (value.length > MAX_VALUE_BYTES)
      return fail(`The field "model" is longer than ${MAX_VALUE_BYTES} bytes.`, 'model_missing')
    if (first !== undefined) return fail('The form has two fields "model".')
    first = { type: 'found', model, inForm: model, stream: undefined, start: 0, end: 0, members: [] }
    if (!isWhole) verdict = first
    return undefined
  }

  const keep = (data: Buffer, from: number): void => {
    left = data.subarray(reading === 'model' ? 0 : from)
    if (reading === 'model' && left.length > MAX_VALUE_BYTES + delimiter.length + MAX_PADDING)
      fail(`The field "model" is longer than ${MAX_VALUE_BYTES} bytes.`, 'model_missing')
  }

  return {
    push,
    end: () => {
      if (verdict === MORE) fail('The body ends in the middle of its form.')
      return verdict
    },
  }
}

/** What follows a boundary: where its line ends, that it is the last one, that it is none, or that more must come. */
const lineAfter = (data: Buffer, from: number): number | 'last' | 'text' | 'unknown' => {
  const end = data.indexOf(NEW_LINE, from)
  const rest = data.toString('latin1', from, Math.min(end === -1 ? data.length : end, from + MAX_PADDING))
  if (rest.startsWith('--')) return 'last'
  if (end !== -1) return end - from < MAX_PADDING && /^[ \t]*$/.test(rest) ? end : 'text'
  return rest.length < MAX_PADDING && /^(?:-|[ \t]*\r?)$/.test(rest) ? 'unknown' : 'text'
}

/** Whether the headers of a part are those of the field `model`, and not of a file. */
const isModel = (headers: string): boolean => {
  const line = headers.split('\r\n').find((text) => /^content-disposition\s*:/i.test(text))
  const parameters = parametersOf(line ?? '')
  return parameters.get('name') === 'model' && !parameters.has('filename')
}
