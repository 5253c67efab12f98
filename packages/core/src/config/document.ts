import { isScalar, parseDocument, type YAMLError } from 'yaml'
import { densityProblem, MAX_CONFIG_DEPTH } from './density.ts'
import type { Report } from './issue.ts'
import { treeOf } from './tree-of.ts'
import type { Tree } from './tree.ts'
import { slipAt } from './yaml-slip.ts'

/** Real files have some kilobytes; a wrong file (a model, a log) must not stall a reload. */
export const MAX_CONFIG_LENGTH = 4 * 1024 * 1024

/** A file with nothing but comments. */
export const EMPTY = Symbol('an empty file')

/** Reads YAML into a tree. Syntax errors are reported, and then there is no tree: what a broken file means is a guess. */
export const readDocument = (text: string, report: Report): Tree | typeof EMPTY | undefined => {
  if (text.length > MAX_CONFIG_LENGTH) {
    const message = `the file has ${text.length} characters; a configuration may have ${MAX_CONFIG_LENGTH}`
    report.error({ at: 0, path: [], message })
    return undefined
  }
  const problem = densityProblem(text)
  if (problem) {
    report.error({ ...problem, path: [] })
    return undefined
  }
  try {
    // Duplicate keys are found below: the library compares every key with every other.
    const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, logLevel: 'error' })
    tellErrors(document.errors, text, report)
    if (document.errors.length > 0) return undefined
    for (const warning of document.warnings)
      report.warning({ at: warning.pos[0], path: [], message: sentenceOf(warning) })
    if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
      return EMPTY
    }
    return treeOf(document.contents, report)
  } catch (error) {
    // The parser is recursive: brackets nested some thousand times end its stack.
    if (!(error instanceof RangeError)) throw error
    report.error({ at: 0, path: [], message: `nested deeper than ${MAX_CONFIG_DEPTH} levels` })
    return undefined
  }
}

/** The parser often tells one mistake twice. */
const tellErrors = (errors: readonly YAMLError[], text: string, report: Report): void => {
  const told = new Set<number>()
  for (const error of errors) {
    const [at] = error.pos
    if (told.has(at)) continue
    told.add(at)
    const slip = slipAt(text, { code: error.code, at })
    report.error({ at, path: [], message: `${sentenceOf(error)}${slip === undefined ? '' : `; ${slip}`}` })
  }
}

/** The parser quotes what it stumbles over, however long. */
const MAX_SENTENCE = 200

const sentenceOf = (error: { readonly code: string; readonly message: string }): string => {
  if (error.code === 'MULTIPLE_DOCS') return 'a second document begins here (`---`); a configuration is one document'
  if (error.code === 'TAB_AS_INDENT') return 'a tab in the indentation; YAML wants spaces'
  if (error.code === 'RESOURCE_EXHAUSTION') return `nested deeper than ${MAX_CONFIG_DEPTH} levels`
  return `not valid YAML: ${error.message.split('\n', 1)[0] ?? ''}`.slice(0, MAX_SENTENCE)
}
