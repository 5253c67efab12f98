import { stat } from 'node:fs/promises'
import type { ModelConfig } from '@lswap/core'
import { definitionHash } from '../process/definition-hash.ts'
import type { EngineProps } from './slot-routes.ts'

/**
 * What the saved state of a slot was computed by: the definition of the process, its program and its weights, as they are
 * now. Weights behind a container's wall cannot be looked at; their path stands for them.
 */
export const slotKey = async (model: ModelConfig, program: string, props: EngineProps): Promise<string> => {
  const [engine, weights] = await Promise.all([fingerprint(program), fingerprint(props.modelPath)])
  return JSON.stringify([definitionHash(model), engine, props.build ?? '', props.modelPath ?? '', weights])
}

const fingerprint = async (path: string | undefined): Promise<string> => {
  if (path === undefined) return ''
  const file = await stat(path, { bigint: true }).catch(() => undefined)
  return file === undefined ? '' : `${file.ino}:${file.size}:${file.mtimeNs}`
}
