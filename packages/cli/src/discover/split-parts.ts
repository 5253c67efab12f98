import type { ReadFile } from './found-model.ts'
import type { PassedOver } from './passed-over.ts'

/** The parts of a split model, or the file itself where it is whole; undefined: one is missing, as while it is being fetched. */
export const partsOf = (file: ReadFile, files: readonly ReadFile[]): readonly ReadFile[] | undefined => {
  const { parts: wanted } = file.name
  if (wanted === undefined) return [file]
  const stem = stemOf(file)
  const parts = files.filter((other) => other.name.parts === wanted && stemOf(other) === stem)
  return new Set(parts.map(({ name }) => name.part)).size === wanted ? parts : undefined
}

/** The split models of which a part is missing, each once, by the first part that is there. */
export const incompleteOf = (files: readonly ReadFile[]): readonly PassedOver[] => {
  const told = new Set<string>()
  return files.flatMap((file) => {
    const { parts = 0 } = file.name
    const key = `${stemOf(file)} ${parts}`
    if (parts === 0 || told.has(key) || partsOf(file, files) !== undefined) return []
    told.add(key)
    const there = files.filter((other) => other.name.parts === parts && stemOf(other) === stemOf(file))
    return [{ path: file.path, why: `${there.length} of its ${parts} parts are there` }]
  })
}

/** The path without the number of the part: what all parts have in common. */
const stemOf = ({ path }: ReadFile): string => path.replace(/-\d{5}-of-\d{5}\.gguf$/i, '')
