import type { Command, Option } from 'commander'

/** What an option or an argument takes. */
export type Value =
  | { readonly type: 'none' }
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'file' | 'model' }
  /** Something that only the person knows. */
  | { readonly type: 'text'; readonly name: string }

export interface OptionSpec {
  /** As it is written: `--follow`, `-f`. */
  readonly flags: readonly string[]
  readonly description: string
  readonly value: Value
}

export interface CommandSpec {
  readonly name: string
  readonly description: string
  readonly options: readonly OptionSpec[]
  /** What its words are; `none`: it takes none. */
  readonly words: Value
}

/** What can be written on a command line, read from the commands themselves so that the two can not differ. */
export const specOf = (program: Command): readonly CommandSpec[] =>
  program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help')
    .map((command) => ({
      name: command.name(),
      description: command.description(),
      options: command.createHelp().visibleOptions(command).map(optionSpec),
      words: wordsOf(command),
    }))

const optionSpec = ({ short, long, description, flags, argChoices, required, optional }: Option): OptionSpec => {
  // Without the dots of those that take several: `--token-file <file...>`
  const name = /[<[]([^\]>.]+)/.exec(flags)?.[1] ?? ''
  return {
    flags: [long, short].filter((flag) => typeof flag === 'string'),
    description,
    value: required || optional ? valueOf(name, argChoices) : { type: 'none' },
  }
}

const wordsOf = (command: Command): Value => {
  const [first] = command.registeredArguments
  return first === undefined ? { type: 'none' } : valueOf(first.name(), first.argChoices)
}

const FILES: ReadonlySet<string> = new Set(['file', 'folder', 'trace'])
const MODELS: ReadonlySet<string> = new Set(['model', 'models'])

const valueOf = (name: string, choices: readonly string[] | undefined): Value => {
  if (choices !== undefined) return { type: 'words', words: choices }
  if (MODELS.has(name)) return { type: 'model' }
  return FILES.has(name) ? { type: 'file' } : { type: 'text', name }
}
