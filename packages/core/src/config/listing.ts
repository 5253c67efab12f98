import type { ModelConfig } from './model-config.ts'
import type { Path, Report } from './issue.ts'
import { plainOf } from './plain.ts'
import type { RawModel } from './schema-model.ts'
import { treeAt, type Tree } from './tree.ts'

/** A model's `metadata`, from the tree: its values are free. */
export const readMetadata = (root: Tree, model: Path, report: Report): ModelConfig['metadata'] => {
  const path = [...model, 'metadata']
  const tree = treeAt(root, path)
  return tree?.kind === 'map' && tree.entries.size > 0
    ? (plainOf(tree, path, report) as ModelConfig['metadata'])
    : undefined
}

/** Undefined where nothing is said. */
export const readCapabilities = (raw: RawModel['capabilities']): ModelConfig['capabilities'] => {
  const read = {
    in: raw?.in ?? [],
    out: raw?.out ?? [],
    tools: raw?.tools ?? false,
    reranker: raw?.reranker ?? false,
    context: raw?.context ?? 0,
  }
  const saysNothing = read.in.length + read.out.length + read.context === 0 && !read.tools && !read.reranker
  return saysNothing ? undefined : read
}
