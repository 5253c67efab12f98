import type { InferenceRoute } from '../inference-route.ts'

/** Whether a request tells its model, or could tell another one, in its query. */
export const namesInQuery = ({ modelIn }: InferenceRoute): boolean =>
  modelIn === 'query' || (typeof modelIn === 'object' && modelIn.namedIn === 'query')

/** A path whose query names this model and no other: here it was called by another name, and a second one could be the one that counts there. */
export const withModel = (path: string, model: string): string => {
  const mark = path.indexOf('?')
  const query = mark === -1 ? '' : path.slice(mark + 1)
  const others = query.split('&').filter((pair) => pair !== '' && !new URLSearchParams(pair).has('model'))
  return `${mark === -1 ? path : path.slice(0, mark)}?${[`model=${encodeURIComponent(model)}`, ...others].join('&')}`
}
