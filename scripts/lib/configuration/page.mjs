// docs/configuration.md: an introduction, and a table of every key for each part of the file.

/** Parts of the page with the keys that they hold, by how their paths begin. The first that fits takes a key. */
/** @type {readonly (readonly [string, readonly string[]])[]} */
const SECTIONS = [
  ['Models', ['models']],
  ['What is loaded together', ['groups', 'matrix', 'devices', 'routing.router']],
  ['Who is served next', ['routing']],
  ['Names', ['profiles', 'selectors', 'peers', 'includeAliasesInList']],
  ['Who may come in', ['apiKeys', 'cors', 'allowedHosts']],
  [
    'Limits',
    [
      'maxQueued',
      'queueTimeoutMs',
      'drainTimeoutMs',
      'maxBodyBytes',
      'maxUploadBytes',
      'waitingBodyMemory',
      'waitingBodyDisk',
    ],
  ],
  ['Everything else', ['']],
]

export function pageOf({ intro, schema, docs, paths }) {
  const left = new Set(paths.filter((path) => path in docs))
  const parts = SECTIONS.map(([title, begins]) => {
    const keys = [...left].filter((path) => begins.some((begin) => begin === '' || isUnder(path, begin)))
    for (const key of keys) left.delete(key)
    return `### ${title}\n\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n${keys.map((path) => row(path, { schema, docs })).join('')}`
  })
  return `${intro.trimEnd()}\n\n${parts.join('\n')}`
}

const isUnder = (path, begin) => path === begin || path.startsWith(`${begin}.`) || path.startsWith(`${begin}[]`)

function row(path, { schema, docs }) {
  const { meaning, default: byDefault } = docs[path]
  const at = schemaAt(schema, path)
  const unused = / Accepted, (no effect: [^.]+\.)/.exec(at.description ?? '')?.[1]
  const effect = unused === undefined ? '' : ` _Accepted, ${unused}_`
  const cells = [`\`${path}\``, valueOf(at), byDefault === undefined ? '' : defaultOf(byDefault), meaning + effect]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
}

/** Words for people stay words. */
const defaultOf = (text) => (/^[\w./${}:"[\]-]+$/.test(text) ? `\`${text}\`` : text)

export function schemaAt(schema, path) {
  let at = schema
  for (const part of path.replaceAll('[]', '.[]').split('.')) {
    const one = [at, ...(at.anyOf ?? [])].map((candidate) => childOf(candidate, part)).find(Boolean)
    if (one === undefined) throw new Error(`no key ${path} in the schema`)
    at = one
  }
  return at
}

const childOf = ({ properties, additionalProperties, items }, part) => {
  if (part === '[]') return items
  return part === '*' ? additionalProperties : properties?.[part]
}

const NAMES = {
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  string: 'text',
  array: 'list',
  object: 'map',
  null: 'nothing',
}

function valueOf({ type, enum: words, const: word, minimum, maximum, anyOf, items }) {
  if (anyOf)
    return [...new Set(anyOf.filter((one) => one.pattern !== String.raw`\$\{[^}]+\}`).map(valueOf))].join(' or ')
  if (word !== undefined) return `\`${word}\``
  if (words) return words.map((one) => `\`${one === '' ? '""' : one}\``).join(', ')
  if (Array.isArray(type)) return type.map((one) => NAMES[one]).join(' or ')
  if (type === 'array') return items?.type === 'object' ? 'list of maps' : `list: ${valueOf(items)}`
  if (type === 'integer' || type === 'number') return NAMES[type] + bounds(minimum, maximum)
  return NAMES[type] ?? 'anything'
}

function bounds(minimum, maximum) {
  if (minimum === undefined || minimum < -1e6) return ''
  return maximum >= 1e6 ? `, ${minimum} or more` : `, ${minimum} to ${maximum}`
}
