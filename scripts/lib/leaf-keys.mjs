/** The keys of a configuration that hold a value, with `*` for names that are free, as the schema sorts them. */
export function leafKeys(value, schema, path = '') {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value)
  const map = [schema, ...(schema.anyOf ?? [])].find((one) => one.properties || one.additionalProperties)
  if (!isMap || map === undefined) return [path]
  const below = Object.entries(value).flatMap(([key, inner]) => {
    const known = map.properties?.[key]
    const open = typeof map.additionalProperties === 'object' ? map.additionalProperties : undefined
    if (known === undefined && open === undefined) return []
    const at = `${path === '' ? '' : `${path}.`}${known === undefined ? '*' : key}`
    return leafKeys(inner, known ?? open, at)
  })
  return [...new Set(below)]
}
