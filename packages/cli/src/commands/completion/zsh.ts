import type { CommandSpec, OptionSpec, Value } from './spec.ts'

export const zshScript = (spec: readonly CommandSpec[]): string => `#compdef lswap
# zsh completion for lswap: save it as _lswap in a folder of $fpath
_lswap_models() {
  local -a names
  names=(\${(f)"$(lswap __complete -- "\${words[@]}" 2>/dev/null)"})
  compadd -a names
}

_lswap() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(
${spec.map(({ name, description }) => `      ${quote(`${name}:${description}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT -= 1 ))
  case $command in
${spec.map(commandCase).join('\n')}
  esac
}

if [[ $funcstack[1] == _lswap ]]; then _lswap "$@"; else compdef _lswap lswap; fi
`

const commandCase = ({ name, options, words }: CommandSpec): string => {
  const specs = [...options.flatMap(optionSpecs), ...wordSpecs(words)]
  return `  ${name})
    _arguments ${specs.map(quote).join(' \\\n      ')}
    ;;`
}

const optionSpecs = ({ flags, description, value }: OptionSpec): readonly string[] =>
  flags.map((flag) => `${flag}[${description.replaceAll(/[[\]:\\]/g, String.raw`\$&`)}]${takes(value)}`)

const wordSpecs = (value: Value): readonly string[] => (value.type === 'none' ? [] : [`*${takes(value)}`])

const takes = (value: Value): string => {
  switch (value.type) {
    case 'words':
      return `:word:(${value.words.join(' ')})`
    case 'file':
      return ':file:_files'
    case 'model':
      return ':model:_lswap_models'
    case 'text':
      return `:${value.name.replaceAll(':', '')}: `
    case 'none':
      return ''
    default:
      return value satisfies never
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
