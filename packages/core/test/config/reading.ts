import { formatIssue } from '../../src/config/issue.ts'
import { readConfig } from '../../src/config/read-config.ts'
import type { Config } from '../../src/config/config.ts'
import type { ConfigReading } from '../../src/config/reading.ts'
import type { ModelConfig } from '../../src/config/model-config.ts'

type Env = Readonly<Record<string, string | undefined>>

export const read = (text: string, env: Env = {}): ConfigReading => readConfig(text, { file: 'c.yaml', env })

/** Everything that is said about a file, a line each, without the file's name. */
export const issuesOf = (text: string, env: Env = {}): readonly string[] => {
  const reading = read(text, env)
  const issues = reading.ok ? reading.warnings : reading.issues
  return issues.map((issue) => formatIssue(issue).replace(/^c\.yaml:/, ''))
}

/** The configuration of a file that must be good. */
export const configOf = (text: string, env: Env = {}): Config => {
  const reading = read(text, env)
  if (!reading.ok) throw new Error(reading.issues.map((issue) => formatIssue(issue)).join('\n'))
  return reading.config
}

export const modelOf = (text: string, id: string, env: Env = {}): ModelConfig => {
  const model = configOf(text, env).models.find((one) => String(one.id) === id)
  if (!model) throw new Error(`no model ${id}`)
  return model
}

/** A file with one good model `a`, and whatever comes before. */
export const withModel = (text: string): string => `${text}\nmodels:\n  a: { cmd: "engine --port \${PORT}" }\n`

/** A model `a` with these lines besides its command. */
export const modelWith = (...lines: readonly string[]): string =>
  ['models:', '  a:', '    cmd: engine --port ${PORT}', ...lines.map((line) => `    ${line}`)].join('\n')
