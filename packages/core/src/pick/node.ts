import type { Candidate } from './endpoint.ts'
import type { Filter, FilterContext } from './filter/filter.ts'
import type { PickStep } from './picker.ts'

/**
 * One filter and where to go from it. After a success the successor gets what the filter let through; after a failure
 * it gets what the node itself got, so every preference is soft. Without a successor the node's result is the tree's.
 */
export interface FilterNode {
  readonly name: string
  readonly filter: Filter
  readonly onSuccess?: FilterNode
  readonly onFailure?: FilterNode
  /** Taken where the one above that applies is absent. */
  readonly onEither?: FilterNode
}

export interface TreeResult {
  /** What may serve, in the order of the input; none: the request can not be placed. */
  readonly survivors: readonly Candidate[]
  /** Set when the last node failed with an error of its own. */
  readonly error: string | undefined
}

const NONE: readonly Candidate[] = []

/** Walks the tree from its root; what each node did is added to `trace`. */
export const runTree = (
  root: FilterNode,
  input: { readonly candidates: readonly Candidate[]; readonly context: FilterContext },
  trace: PickStep[],
): TreeResult => {
  let node: FilterNode = root
  let { candidates } = input
  for (;;) {
    const result = node.filter(candidates, input.context)
    const error = 'error' in result ? result.error : undefined
    const out = 'error' in result ? NONE : result
    const succeeded = out.length > 0
    const step = { node: node.name, in: candidates, out, result: succeeded ? 'success' : 'failure' } as const
    trace.push(error === undefined ? step : { ...step, error })
    const next: FilterNode | undefined = (succeeded ? node.onSuccess : node.onFailure) ?? node.onEither
    if (next === undefined) return { survivors: out, error }
    node = next
    if (succeeded) candidates = out
  }
}

/** The tree as indented text, one node a line with the way that leads to it. */
export const printTree = (root: FilterNode): string => {
  const lines: string[] = []
  const print = (node: FilterNode, way: string, depth: number): void => {
    lines.push(`${'  '.repeat(depth)}${way}${node.name}`)
    if (node.onSuccess) print(node.onSuccess, 'success: ', depth + 1)
    if (node.onFailure) print(node.onFailure, 'failure: ', depth + 1)
    if (node.onEither) print(node.onEither, 'either: ', depth + 1)
  }
  print(root, '', 0)
  return lines.join('\n')
}
