import { EMPTY, readDocument } from './document.ts'
import type { Report } from './issue.ts'
import { mergeFiles } from './merge-files.ts'
import { shiftTree } from './shift-tree.ts'
import type { Sources } from './sources.ts'
import type { Tree } from './tree.ts'

/** Reads every file, and makes one tree of them. Undefined: one is broken, or there is nothing, and that is reported. */
export const readDocuments = ({ parts }: Sources, report: Report): Tree | undefined => {
  const trees: Tree[] = []
  let isBroken = false
  for (const { file, base } of parts) {
    if (file.problem !== undefined) {
      report.error({ at: base + file.problem.at, path: [], message: file.problem.message })
      isBroken = true
      continue
    }
    const tree = readDocument(file.text, shifted(report, base))
    if (tree === undefined) isBroken = true
    else if (tree !== EMPTY) trees.push(shiftTree(tree, base))
  }
  if (isBroken) return undefined
  if (trees.length === 0) report.error({ at: 0, path: [], message: emptyMessage(parts.length) })
  return trees.length > 1 ? mergeFiles(trees, report) : trees[0]
}

const emptyMessage = (files: number): string =>
  `${files > 1 ? 'all files are' : 'the file is'} empty; a configuration needs at least one model under \`models\``

/** A report for one of several files: its places count from that file's beginning. */
const shifted = (report: Report, base: number): Report => ({
  error: (finding) => report.error({ ...finding, at: base + finding.at }),
  warning: (finding) => report.warning({ ...finding, at: base + finding.at }),
  hasErrors: () => report.hasErrors(),
  fileAt: (at) => report.fileAt(base + at),
  issues: () => report.issues(),
})
