import type { CommandSpec, OptionSpec, Value } from './spec.ts'

export const fishScript = (spec: readonly CommandSpec[]): string =>
  `# fish completion for lswap: save it as ~/.config/fish/completions/lswap.fish
function __lswap_models
    lswap __complete -- (commandline -opc) 2>/dev/null
end

complete -c lswap -f
${spec
  .map(({ name, description }) => `complete -c lswap -n __fish_use_subcommand -a ${name} -d ${quote(description)}`)
  .join('\n')}
${spec.flatMap(commandLines).join('\n')}
`

const commandLines = ({ name, options, words }: CommandSpec): readonly string[] => {
  const seen = `complete -c lswap -n '__fish_seen_subcommand_from ${name}'`
  return [
    ...options.map((option) => `${seen} ${optionWords(option)}`),
    ...(words.type === 'none' || words.type === 'text' ? [] : [`${seen} ${takes(words)}`]),
  ]
}

const optionWords = ({ flags, description, value }: OptionSpec): string => {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  // `-x`: its value is no file, which fish would offer beside ours
  const takesValue = value.type === 'none' ? [] : [value.type === 'file' ? '-r' : '-x', takes(value)]
  return [...names, '-d', quote(description), ...takesValue].filter((word) => word !== '').join(' ')
}

const takes = (value: Value): string => {
  switch (value.type) {
    case 'words':
      return `-a ${quote(value.words.join(' '))}`
    case 'file':
      return '-F'
    case 'model':
      return "-a '(__lswap_models)'"
    case 'text':
    case 'none':
      return ''
    default:
      return value satisfies never
  }
}

const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`
