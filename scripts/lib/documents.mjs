// Reads the documents for users as the tests of them need it.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './root.mjs'

/** README, CHANGELOG, CONTRIBUTING and docs/*.md: name and text. */
export async function documents() {
  const pages = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)
  const names = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...pages.toSorted()]
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(root, name), 'utf8') })))
}

const BLOCK = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm

/** Blocks of code with their language and the line that they begin in. */
export function codeBlocks(text) {
  return [...text.matchAll(BLOCK)].map(({ 1: indent, 2: language, 3: code, index }) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    line: text.slice(0, index).split('\n').length,
  }))
}

/** Text without its blocks of code. */
const prose = (text) => text.replaceAll(BLOCK, (block) => block.replaceAll(/[^\n]/g, ''))

/** Spans of code in running text. */
export const codeSpans = (text) => [...prose(text).matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, span]) => span)

/** Links to files and places: `[text](target)`, without those to other sites. */
export const localLinks = (text) =>
  [...prose(text).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))

/** The places of a page that a link can name, as GitHub makes them of headings. */
export const anchors = (text) =>
  new Set(
    [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

/** Commands of a shell block that run `lswap`, each as its words. Of a console only what is typed. */
export function lswapCommands({ language, code }) {
  if (language !== 'sh' && language !== 'console') return []
  const lines = code.replaceAll(/\\\n\s*/g, ' ').split('\n')
  const typed =
    language === 'console' ? lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)) : lines
  return typed
    .flatMap((line) => line.replace(/(?:^|\s)#.*$/, '').split(/\s(?:\||\|\||&&|;)\s|\$\(|<\(/))
    .map((part) => part.replace(/[)&]?\s*(?:\s[\d&]?[<>].*)?$/, '').trim())
    .map((part) => part.split(/\s+/).filter((word) => word !== ''))
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word) && word !== 'sudo')))
    .filter(([program]) => program === 'lswap')
    .map(([, ...words]) => words.map((word) => word.replaceAll(/^['"]|['"]$/g, '')))
}
