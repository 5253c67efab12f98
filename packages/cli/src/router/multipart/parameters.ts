/** Parameters behind the first word of a header's value, like `form-data; name="x"`; names in lower case, the first of a name counts. */
export const parametersOf = (value: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const first = value.indexOf(';')
  if (first === -1) return found
  PARAMETER.lastIndex = first
  for (let match = PARAMETER.exec(value); match !== null; match = PARAMETER.exec(value)) {
    const [, name = '', quoted, plain = ''] = match
    const key = name.toLowerCase()
    if (!found.has(key)) found.set(key, quoted === undefined ? plain : quoted.replaceAll(/\\(.)/gs, '$1'))
  }
  return found
}

/** One after the other and nothing between, so that text inside of quotes is never taken for a parameter. */
const PARAMETER = /\s*;\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gsy
