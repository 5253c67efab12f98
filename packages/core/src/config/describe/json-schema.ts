import * as z from 'zod'
import { configSchema } from '../schema.ts'
import { UNUSED } from '../schema-kinds.ts'
import { MODEL_DOCS } from './docs-model.ts'
import { ROUTING_DOCS } from './docs-routing.ts'
import { TOP_DOCS } from './docs-top.ts'
import type { KeyDocs } from './key-docs.ts'

/** What is said of every key, by its path: `models.*.ttl`, `apiKeys[].name`. */
export const KEY_DOCS: KeyDocs = { ...MODEL_DOCS, ...ROUTING_DOCS, ...TOP_DOCS }

export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

/** The schema of a configuration file for editors: from the schema that reads it, with what is said of the keys. */
export const configJsonSchema = (): JsonSchema => {
  const schema = z.toJSONSchema(configSchema, {
    unrepresentable: 'any',
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      if (UNUSED.has(zodSchema)) jsonSchema['unused'] = UNUSED.get(zodSchema)
    },
  }) as JsonSchema
  return { ...described(schema, ''), title: 'Configuration of lswap' }
}

const described = (schema: JsonSchema, path: string): JsonSchema => {
  const { properties, additionalProperties, items, anyOf, propertyNames: _, unused, ...rest } = schema
  const said = KEY_DOCS[path]
  const effect = typeof unused === 'string' ? ` Accepted, ${unused}.` : ''
  const own: JsonSchema = {
    ...(said === undefined ? {} : { description: said.meaning + effect + defaultOf(said.default) }),
    ...rest,
    ...(properties && {
      properties: mapped(properties, (one, key) => described(one, path === '' ? key : `${path}.${key}`)),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? described(additionalProperties, `${path}.*`) : additionalProperties,
    }),
    ...(items && { items: described(items, `${path}[]`) }),
    ...(anyOf && { anyOf: anyOf.map((one) => described(one, path)).map(({ description: _said, ...one }) => one) }),
  }
  return withMacros(own)
}

const defaultOf = (text: string | undefined): string => (text === undefined ? '' : ` Default: ${text}.`)

const mapped = <Value>(
  map: Readonly<Record<string, JsonSchema>>,
  make: (value: JsonSchema, key: string) => Value,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, make(value, key)]))

const MACRO: JsonSchema = { type: 'string', pattern: String.raw`\$\{[^}]+\}` }
const LEAVES: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean'])

/** Any value may be written as a macro: an editor that wants a number there would be wrong. */
const withMacros = (schema: JsonSchema): JsonSchema => {
  const { type, pattern, enum: words, description, anyOf, ...rest } = schema
  const isText = type === 'string' && pattern === undefined && words === undefined
  if (anyOf !== undefined || isText || !(LEAVES.has(type) || type === 'string')) return schema
  const strict = {
    type,
    ...(pattern !== undefined && { pattern }),
    ...(words !== undefined && { enum: words }),
    ...rest,
  }
  return { ...(description !== undefined && { description }), anyOf: [strict, MACRO] }
}

/** The paths of all keys, those that are free left out. */
export const keyPaths = (schema: JsonSchema): readonly string[] => {
  const paths: string[] = []
  const collect = ({ properties = {}, additionalProperties, items, anyOf = [] }: JsonSchema, path: string): void => {
    for (const [key, value] of Object.entries(properties)) {
      const place = path === '' ? key : `${path}.${key}`
      paths.push(place)
      collect(value, place)
    }
    if (typeof additionalProperties === 'object') collect(additionalProperties, `${path}.*`)
    if (items) collect(items, `${path}[]`)
    for (const one of anyOf) collect(one, path)
  }
  collect(schema, '')
  return paths
}
