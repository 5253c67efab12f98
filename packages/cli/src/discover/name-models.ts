import type { FoundModel, ReadFile } from './found-model.ts'

export type Unnamed = Omit<FoundModel, 'id' | 'aliases'> & { readonly file: ReadFile }

/**
 * Gives every model a name of its own: the file's without quantisation noise. Several quantisations of one model carry
 * theirs behind a colon, and the largest answers to the plain name too; what is still the same gets a number.
 */
export const nameModels = (models: readonly Unnamed[]): readonly FoundModel[] => {
  const groups = new Map<string, Unnamed[]>()
  for (const model of models.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const key = model.file.name.base.toLowerCase()
    groups.set(key, [...(groups.get(key) ?? []), model])
  }
  const taken = new Set<string>()
  /** The same file may lie in two caches: ids differ also for those who read no case. */
  const free = (wanted: string): string => {
    let id = wanted
    for (let number = 2; taken.has(id.toLowerCase()); number += 1) id = `${wanted}-${number}`
    taken.add(id.toLowerCase())
    return id
  }
  const named: FoundModel[] = []
  for (const group of groups.values()) {
    const base = group[0]?.file.name.base ?? ''
    const [only, ...others] = distinct(group)
    if (only === undefined) continue
    if (others.length === 0) {
      named.push(finished(only, free(base), []))
      continue
    }
    const largest = [only, ...others].toSorted((a, b) => b.bytes - a.bytes)[0]
    const plain = free(base)
    for (const model of [only, ...others]) {
      const { quant } = model.file.name
      const id = free(quant === '' ? `${base}:${sizeOf(model.bytes)}` : `${base}:${quant}`)
      named.push(finished(model, id, model === largest ? [plain] : []))
    }
  }
  return named.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** One of those with the same name, quantisation and size: copies in two places. */
const distinct = (group: readonly Unnamed[]): readonly Unnamed[] => {
  const seen = new Map<string, Unnamed>()
  for (const model of group) {
    const key = `${model.file.name.quant} ${model.bytes}`
    if (!seen.has(key)) seen.set(key, model)
  }
  return [...seen.values()]
}

const finished = (
  { path, bytes, projector, purpose }: Unnamed,
  id: string,
  aliases: readonly string[],
): FoundModel => ({
  id,
  aliases,
  path,
  bytes,
  projector,
  purpose,
})

const GIB = 2 ** 30
const sizeOf = (bytes: number): string => `${(bytes / GIB).toFixed(1)}GiB`
