import type { CommandSpec, OptionSpec, Value } from './spec.ts'

/** Works without the package bash-completion, and with ids that hold colons, at which bash splits words. */
export const bashScript = (
  spec: readonly CommandSpec[],
): string => `# bash completion for lswap. In ~/.bashrc: source <(lswap completion bash)
_lswap_words() {
  local word
  while IFS= read -r word; do
    [[ -n $word && $word == "$cur"* ]] && COMPREPLY+=("$(printf %q "$word")")
  done
}

_lswap() {
  local line=\${COMP_LINE:0:COMP_POINT} cur='' prev='' command='' words at
  COMPREPLY=()
  read -ra words <<<"$line"
  if [[ $line == *[[:space:]] ]]; then words+=(''); fi
  cur=\${words[\${#words[@]} - 1]}
  if ((\${#words[@]} > 1)); then prev=\${words[\${#words[@]} - 2]}; fi
  for ((at = 1; at < \${#words[@]} - 1; at++)); do
    if [[ \${words[at]} != -* ]]; then command=\${words[at]}; break; fi
  done
  case "$command $prev" in
${spec.flatMap((command) => command.options.flatMap((option) => optionCase(command, option))).join('\n')}
  *)
    case "$command" in
    '') _lswap_words <<<$'${spec.map(({ name }) => name).join('\\n')}' ;;
${spec.map(commandCase).join('\n')}
    esac
    ;;
  esac
  # What stands before the last colon is there already
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local before=\${cur%"\${cur##*:}"}
    COMPREPLY=("\${COMPREPLY[@]#"$before"}")
  fi
}
complete -F _lswap lswap
`

const optionCase = ({ name }: CommandSpec, { flags, value }: OptionSpec): readonly string[] =>
  value.type === 'none' ? [] : [`  ${flags.map((flag) => `'${name} ${flag}'`).join(' | ')}) ${suggest(value)} ;;`]

const commandCase = ({ name, options, words }: CommandSpec): string => {
  const flags = options.flatMap((option) => option.flags).join('\\n')
  return `    ${name})
      if [[ $cur == -* ]]; then _lswap_words <<<$'${flags}'; else ${suggest(words)}; fi
      ;;`
}

const suggest = (value: Value): string => {
  switch (value.type) {
    case 'words':
      return `_lswap_words <<<$'${value.words.join('\\n')}'`
    case 'file':
      return 'compopt -o default 2>/dev/null'
    case 'model':
      return '_lswap_words < <(lswap __complete -- "${words[@]}" 2>/dev/null)'
    case 'text':
    case 'none':
      return ':'
    default:
      return value satisfies never
  }
}
