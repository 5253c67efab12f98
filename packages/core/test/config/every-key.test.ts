import { readFileSync } from 'node:fs'
import t from 'tap'
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type ParsedNode } from 'yaml'
import type { ConfigIssue } from '../../src/config/reading.ts'
import { configJsonSchema, type JsonSchema } from '../../src/config/describe/json-schema.ts'
import { formatPath, type Path } from '../../src/config/issue.ts'
import { read } from './reading.ts'

const FILE = new URL('../../../test/config/vectors/llama-swap-keys.yaml', import.meta.url)
const everyKey = readFileSync(FILE, 'utf8')
const env = { HOME: '/home/me' }
const lines = new LineCounter()
const root = parseDocument(everyKey, { lineCounter: lines }).contents

/** A key of the file that the schema names, or a value that it has an opinion about. */
interface Case {
  readonly path: Path
  readonly node: ParsedNode
}

const found: { readonly keys: Case[]; readonly values: Case[] } = { keys: [], values: [] }

const walk = (node: ParsedNode | null, schema: JsonSchema | undefined, path: Path): void => {
  if (node === null || schema === undefined) return
  const { properties, additionalProperties, items, anyOf, type } = schema
  const isFree = type === undefined && anyOf === undefined
  if (path.length > 0 && !isFree) found.values.push({ path, node })
  if (isMap(node)) {
    const open = typeof additionalProperties === 'object' ? additionalProperties : undefined
    for (const { key, value } of node.items) {
      const name = String((key as { value?: unknown }).value)
      const known = properties?.[name]
      if (known && isScalar(key)) found.keys.push({ path: [...path, name], node: key })
      walk(value, known ?? open, [...path, name.replace('${MODEL_ID}', 'big')])
    }
  } else if (isSeq(node)) {
    const inner = items ?? anyOf?.find((one) => one.items)?.items
    for (const [at, item] of node.items.entries()) walk(item, inner, [...path, at])
  }
}
walk(root, configJsonSchema(), [])

const issuesAt = (text: string, offset: number): readonly ConfigIssue[] => {
  const reading = read(text, env)
  const { line, col } = lines.linePos(offset)
  const issues = reading.ok ? reading.warnings : reading.issues
  return issues.filter((issue) => issue.severity === 'error' && issue.line === line && issue.column === col)
}

t.test('a typo in any key is told at its place, with the key that was meant', async (t) => {
  t.ok(found.keys.length > 100, `${found.keys.length} keys`)
  for (const { path, node } of found.keys) {
    const [start, end] = node.range
    const key = String(path.at(-1))
    const typo = key.length > 2 ? `${key.slice(0, -1)}q` : `${key}q`
    const [issue] = issuesAt(everyKey.slice(0, start) + typo + everyKey.slice(end), start)
    t.match(issue, { message: /^unknown key/, suggestion: key }, `${formatPath(path)} as ${typo}`)
    if (path[0] !== 'apiKeys') t.equal(issue?.path, formatPath([...path.slice(0, -1), typo]))
  }
})

t.test('a value of a wrong type is told at its place, with what was expected', async (t) => {
  t.ok(found.values.length > 140, `${found.values.length} values`)
  for (const { path, node } of found.values) {
    const [start, end] = node.range
    const isLeaf = isScalar(node)
    const wrong = (isLeaf ? '[1]' : 'wrong') + (everyKey[end - 1] === '\n' ? '\n' : '')
    const [issue, ...others] = issuesAt(everyKey.slice(0, start) + wrong + everyKey.slice(end), start)
    const shown = isLeaf ? 'a list' : '(the text "wrong"|other text)'
    t.match(issue, { path: formatPath(path), message: new RegExp(`^expected .+, found ${shown}$`) }, formatPath(path))
    t.same(others, [], formatPath(path))
  }
})
