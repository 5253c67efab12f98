import type { Failure } from '@lswap/core'
import type { Call } from './call.ts'
import type { Catalog } from './catalog.ts'
import { chooseModel } from './choose-model.ts'
import { asksForStream } from './early/wish.ts'
import type { InferenceRoute, PathModel } from './inference-route.ts'
import type { RunLoop } from './loop.ts'
import { createModelScanner, type ModelScanner, type ScannerOptions } from './model-name.ts'
import { createNamedScanner } from './named-scanner.ts'
import { boundaryOf } from './multipart/boundary.ts'
import { createFieldScanner } from './multipart/scanner.ts'

/** Where a request tells its model. */
export type ModelSource =
  | { readonly type: 'body'; readonly scanner: ModelScanner }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'failed'; readonly failure: Failure }

export interface SourceOptions {
  readonly catalog: Catalog
  readonly loop: Pick<RunLoop, 'view'>
}

/** What tells the model of a call; JSON is JSON whatever its Content-Type says. */
export const sourceOf = ({ catalog, loop }: SourceOptions, call: Call, route: InferenceRoute): ModelSource => {
  const { modelIn } = route
  if (typeof modelIn === 'object') {
    if (!isEdited(catalog, modelIn)) return { type: 'name', name: modelIn.name }
    return { type: 'body', scanner: createNamedScanner(modelIn.name, createModelScanner(whole(catalog))) }
  }
  if (modelIn === 'json') return { type: 'body', scanner: createModelScanner(scanningOf(catalog, call, route)) }
  if (modelIn === 'multipart') {
    const boundary = boundaryOf(call.req.headers['content-type'])
    if (typeof boundary !== 'string') return { type: 'failed', failure: boundary }
    return { type: 'body', scanner: createFieldScanner(boundary) }
  }
  const name = chooseModel(catalog, loop, call.query)
  return typeof name === 'string' ? { type: 'name', name } : { type: 'failed', failure: name }
}

/** Whether a body whose model the path names is read, for the model's filters. */
export const isEdited = ({ scanning }: Catalog, { name, isJson }: PathModel): boolean =>
  isJson && scanning.needsAll(name)

const scanningOf = (catalog: Catalog, { req, rights }: Call, route: InferenceRoute): ScannerOptions => {
  const asks = asksForStream(route, req.headers)
  if (rights.isRestricted || asks === 'always') return whole(catalog)
  if (asks === 'by-model') return catalog.streamScanning
  return route.streams === undefined ? catalog.scanning : catalog.promptScanning
}

/** A second name in the same body could be one that the key may not use, and the one that the engine takes. */
const whole = ({ scanning }: Catalog): ScannerOptions => ({ ...scanning, needsAll: () => true })
