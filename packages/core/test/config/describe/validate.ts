import type { JsonSchema } from '../../../src/config/describe/json-schema.ts'

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

const hasType = (value: unknown, types: unknown): boolean => {
  const found = typeOf(value)
  return [types].flat().some((type) => type === found || (type === 'number' && found === 'integer'))
}

/** What JSON Schema finds wrong with a value, for the keywords that the schema of the configuration uses. */
export const mistakesOf = (value: unknown, schema: JsonSchema, path = ''): readonly string[] => {
  const {
    type,
    enum: words,
    const: word,
    pattern,
    minimum,
    maximum,
    anyOf,
    properties,
    additionalProperties,
    items,
  } = schema
  if (anyOf) return anyOf.some((one) => mistakesOf(value, one).length === 0) ? [] : [`${path}: no form fits`]
  if (type !== undefined && !hasType(value, type)) return [`${path}: not ${JSON.stringify(type)}`]
  if (Array.isArray(words) && !words.includes(value)) return [`${path}: not one of the words`]
  if (word !== undefined && word !== value) return [`${path}: not the word`]
  if (typeof pattern === 'string' && !new RegExp(pattern).test(String(value))) return [`${path}: does not match`]
  if (typeof value === 'number') {
    const isInside =
      value >= ((minimum as number | undefined) ?? -Infinity) && value <= ((maximum as number | undefined) ?? Infinity)
    return isInside ? [] : [`${path}: out of bounds`]
  }
  if (Array.isArray(value)) return items ? value.flatMap((one, at) => mistakesOf(one, items, `${path}[${at}]`)) : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) => {
    const place = `${path}.${key}`
    const known = properties?.[key]
    if (known) return mistakesOf(one, known, place)
    if (additionalProperties === false) return [`${place}: unknown key`]
    return typeof additionalProperties === 'object' ? mistakesOf(one, additionalProperties, place) : []
  })
}
