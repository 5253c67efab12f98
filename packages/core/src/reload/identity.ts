import { readCommandLine } from '../config/command-line.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { canonical } from './canonical.ts'
import { modelKeys, type Effect } from './model-keys.ts'

/** What two definitions of a model must have in common for one's process to serve as the other's. Only for comparing. */
export const processIdentity = (model: ModelConfig): string => {
  const known = identities.get(model)
  if (known !== undefined) return known
  const own = identity(model, ['process'])
  identities.set(model, own)
  return own
}

/** Every look at the processes of a host asks for that of each model, and it takes the command apart. */
const identities = new WeakMap<ModelConfig, string>()

/** What a start depends on: another one may go well where the last one failed. Only for comparing. */
export const startIdentity = (model: ModelConfig): string => identity(model, ['process', 'start'])

const identity = (model: ModelConfig, effects: readonly Effect[]): string =>
  canonical(
    modelKeys
      .filter(([, { acts }]) => effects.includes(acts))
      .map(([name]) => (name === 'cmd' ? wordsOf(model.cmd) : (model[name] ?? null))),
  )

/** Comments and line ends start no other process. */
const wordsOf = (command: string): readonly string[] | string => {
  const line = readCommandLine(command)
  return line.ok ? line.words : command
}
