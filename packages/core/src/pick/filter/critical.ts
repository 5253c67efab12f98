import { NO_ENDPOINT_LEFT } from './filter.ts'
import type { Filter } from './filter.ts'

/** Looks at the request alone: all or nothing. */
export const critical: Filter = (candidates, context) => (context.critical ? candidates : NO_ENDPOINT_LEFT)
