import { LswapError } from '@lswap/core'
import { discoveredConfig } from '../../discover/config-text.ts'
import { discover } from '../../discover/discover.ts'
import { missingFor } from '../../discover/missing.ts'
import { remarksOn } from '../../discover/remarks.ts'
import type { TaskContext } from '../invocation.ts'
import { type ConfigFlags, type ConfigText, findConfig, usualPlaces } from './locate-config.ts'

/** The configuration; where there is none, one that serves the models of this machine, which is shown so that it can be kept. */
export const configOrFound = async (
  flags: ConfigFlags,
  { io, say }: Pick<TaskContext, 'io' | 'say'>,
): Promise<ConfigText> => {
  const source = await findConfig(flags, io)
  if (source !== undefined) return source
  const { platform } = process
  const found = await discover({ io, platform })
  for (const line of remarksOn(found)) say(line)
  const missing = missingFor(found, platform)
  if (missing !== undefined) throw explained(missing, usualPlaces(io.env))
  const text = discoveredConfig(found.engine ?? '', found.models)
  say('No configuration: serving what was found on this machine. `lswap init` writes this as lswap.yaml:')
  for (const line of text.trimEnd().split('\n')) say(`  ${line}`)
  return { name: FOUND, files: [{ file: FOUND, text }] }
}

const FOUND = '(found on this machine)'

const explained = ({ failure }: LswapError, places: readonly string[]): LswapError =>
  new LswapError({
    ...failure,
    message: `No configuration found ($LSWAP_CONFIG is not set; there is no ${places.join(', ')}). ${failure.message}`,
  })
