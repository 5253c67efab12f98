import { readCommandLine } from '../config/command-line.ts'
import type { Config } from '../config/config.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { hasSecretName } from './names.ts'

/** What must not stand in a line that anybody reads. */
export const secretsOf = ({ access, agents, models, peers, secretVariables }: Config): readonly string[] => [
  ...access.keys.map(({ secret }) => secret),
  ...agents.map(({ token }) => token),
  ...[...models, ...peers].flatMap(({ apiKey }) => apiKey ?? []),
  ...models.flatMap(({ env }) => Object.entries(env).flatMap(([name, value]) => (hasSecretName(name) ? value : []))),
  ...models.flatMap((model) => commandsOf(model).flatMap(secretArguments)),
  ...secretVariables,
]

const commandsOf = ({ cmd, cmdStop, hooks }: ModelConfig): readonly string[] => [
  cmd,
  cmdStop ?? '',
  ...[...(hooks?.before ?? []), ...(hooks?.after ?? [])].map((hook) => hook.cmd),
]

/** Values of `--api-key` and its like. A command that can not be read is never run. */
const secretArguments = (command: string): readonly string[] => {
  const line = readCommandLine(command)
  if (!line.ok) return []
  const values = line.words.map((word, at) => {
    const next = line.words[at + 1] ?? ''
    return word.startsWith('-') && hasSecretName(word) && !next.startsWith('-') ? next : assigned(word)
  })
  // llama-server takes several keys in one value
  return values.flatMap((value) => value.split(','))
}

/** What `--api-key=value`, `HF_TOKEN=value` and `--env=HF_TOKEN=value` set. */
const assigned = (word: string): string => {
  const at = word.indexOf('=')
  if (at === -1) return ''
  const value = word.slice(at + 1)
  return hasSecretName(word.slice(0, at)) ? value : assigned(value)
}
