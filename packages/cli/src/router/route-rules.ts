import type { InferenceRoute } from './inference-route.ts'
import type { RouterLimits } from './limits.ts'
import type { BodyLimit } from './request-headers.ts'

type ModelIn = InferenceRoute['modelIn']

/** What only looks at a model never loads it. */
export const neverLoads = (ignorePaths: readonly RegExp[], modelIn: ModelIn): boolean =>
  typeof modelIn === 'object' ? ignorePaths.some((pattern) => pattern.test(modelIn.rest)) : modelIn === 'query'

/** Files may be larger than prompts, and what an engine has besides inference may take files. */
export const limitOf = ({ maxBodyBytes, maxUploadBytes }: RouterLimits, modelIn: ModelIn): BodyLimit =>
  modelIn === 'multipart' || (typeof modelIn === 'object' && modelIn.namedIn !== 'json')
    ? { name: 'maxUploadBytes', bytes: maxUploadBytes }
    : { name: 'maxBodyBytes', bytes: maxBodyBytes }
