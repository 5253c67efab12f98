import type { Discovery } from './discover.ts'
import type { FoundModel } from './found-model.ts'

/** What a program can be told on a command line in YAML: no line ends, and nothing that reads as a macro. */
const isUsable = (path: string): boolean => !/[\r\n\0]|\$\{/.test(path)

/** The configuration that serves what was found, as a person would write it. */
export const discoveredConfig = (engine: string, models: Discovery['models']): string => {
  const entries = models.filter(({ path, projector = '' }) => isUsable(path) && isUsable(projector)).map(entryOf)
  return `# What was found on this machine. Every key: docs/configuration.md of lswap; \`lswap check\` checks the file.
macros:
  llama-server: ${yamlText(`${quoted(engine)} --host 127.0.0.1 --port \${PORT}`)}

# One at a time: each is loaded when it is asked for, and makes room for the next.
models:
${entries.join('')}`
}

const FLAGS: Readonly<Record<FoundModel['purpose'], string>> = {
  chat: '',
  embeddings: ' --embeddings',
  reranking: ' --reranking',
}

const entryOf = ({ id, aliases, path, projector, purpose, bytes }: FoundModel): string => {
  const eye = projector === undefined ? '' : ` --mmproj ${quoted(projector)}`
  const more = aliases.length === 0 ? '' : `    aliases: [${aliases.map(yamlText).join(', ')}]\n`
  return `  ${yamlText(id)}: # ${sizeOf(bytes)}
    cmd: ${yamlText(`\${llama-server} --model ${quoted(path)}${eye}${FLAGS[purpose]}`)}
${more}`
}

/** One word of a command line. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`

/** Plain where that is the same text, else as JSON, which YAML reads alike. */
const yamlText = (text: string): string =>
  /^[A-Za-z][\w./-]*$/.test(text) && !WORDS.test(text) ? text : JSON.stringify(text)

/** Texts that YAML, older or newer, reads as something else. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i

const GIB = 2 ** 30
const sizeOf = (bytes: number): string =>
  bytes < GIB ? `${Math.ceil(bytes / 2 ** 20)} MiB` : `${(bytes / GIB).toFixed(1)} GiB`
