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
import { createFieldScanner, type FieldScannerOptions } from './multipart/scanner.ts'

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
  if (typeof modelIn === 'object') return pathSource(catalog, call, modelIn)
  if (modelIn === 'json') return { type: 'body', scanner: createModelScanner(scanningOf(catalog, call, route)) }
  if (modelIn === 'multipart') {
    // A second field could name a model that the key may not use, and be the one that counts
    return formSource(call, { isWhole: call.rights.isRestricted })
  }
  const name = chooseModel(catalog, loop, call.query)
  return typeof name === 'string' ? { type: 'name', name } : { type: 'failed', failure: name }
}

const formSource = ({ req }: Call, options: FieldScannerOptions): ModelSource => {
  const boundary = boundaryOf(req.headers['content-type'])
  if (typeof boundary !== 'string') return { type: 'failed', failure: boundary }
  return { type: 'body', scanner: createFieldScanner(boundary, options) }
}

const pathSource = (catalog: Catalog, call: Call, modelIn: PathModel): ModelSource => {
  const { name, namedIn } = modelIn
  if (!isRead(catalog, modelIn)) return { type: 'name', name }
  const source: ModelSource =
    namedIn === 'form'
      ? formSource(call, { isWhole: true })
      : { type: 'body', scanner: createModelScanner(whole(catalog)) }
  return source.type === 'body' ? { type: 'body', scanner: createNamedScanner(name, source.scanner) } : source
}

/** Whether a body whose model the path names is read: for the model's filters, or because whoever gets it goes by what it says. */
export const isRead = (catalog: Catalog, { name, namedIn }: PathModel): boolean =>
  namedIn === 'json' ? catalog.scanning.needsAll(name) : namedIn === 'form' && catalog.isIndirect(name)

const scanningOf = (catalog: Catalog, { req, rights }: Call, route: InferenceRoute): ScannerOptions => {
  const asks = asksForStream(route, req.headers)
  if (rights.isRestricted || asks === 'always') return whole(catalog)
  if (asks === 'by-model') return catalog.streamScanning
  return route.streams === undefined ? catalog.scanning : catalog.promptScanning
}

/** A second name in the same body could be one that the key may not use, and the one that the engine takes. */
const whole = ({ scanning }: Catalog): ScannerOptions => ({ ...scanning, needsAll: () => true })
