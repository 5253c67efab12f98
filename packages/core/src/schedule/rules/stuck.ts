import type { Failure } from '../../errors/failure.ts'
import type { ModelId } from '../../ids.ts'

/** For an agent that does not say why a process did not end. */
export const wouldNotEnd = (model: ModelId): Failure => ({
  code: 'stop_failed',
  message: `the process of ${model} did not end and keeps its memory`,
})
