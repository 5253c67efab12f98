import type { Report } from './issue.ts'
import type { RawConfig } from './schema.ts'
import { placeOf } from './tree.ts'
import type { Tree } from './tree.ts'

/** What a page is made of: a tab that was left open must not load its model again. llama-swap's default. */
export const DEFAULT_IGNORE_PATHS: readonly string[] = ['.*\\.(js|json|css|png|gif|jpg|jpeg|ico|txt)$']

/** Paths of an engine's pages that never load its model; a list that is empty is llama-swap's way to say "the default". */
export const readIgnorePaths = (raw: RawConfig, root: Tree, report: Report): readonly string[] => {
  const given = raw.upstream?.ignorePaths ?? []
  for (const [index, text] of given.entries()) {
    if (ignorePathPattern(text) !== undefined) continue
    const path = ['upstream', 'ignorePaths', index]
    report.error({ at: placeOf(root, path), path, message: 'expected a regular expression, this is none' })
  }
  return given.length === 0 ? DEFAULT_IGNORE_PATHS : given
}

/**
 * The expression that a pattern stands for; undefined when it is none. The files are written for RE2: what it spells
 * differently and people use is translated (flags in front, named groups, `\A` and `\z`).
 */
export const ignorePathPattern = (text: string): RegExp | undefined => {
  const [, flags = '', body = ''] = /^(?:\(\?([ims]+)\))?(.*)$/s.exec(text) ?? []
  const source = body.replaceAll(/\\[\s\S]|\(\?P</g, (part) => SPELLINGS[part] ?? part)
  try {
    return new RegExp(source, [...new Set(flags)].join(''))
  } catch {
    return undefined
  }
}

const SPELLINGS: Readonly<Record<string, string>> = { '(?P<': '(?<', '\\A': '^', '\\z': '$' }
