import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t from 'tap'
import { root } from '../../scripts/lib/root.mjs'

const DECISIONS = 'docs/decisions'
/** Where a link leads, without the place on that page. */
const LINK = /\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g

const pagesIn = async (folder) =>
  (await readdir(join(root, folder))).filter((name) => name.endsWith('.md')).map((name) => join(folder, name))

const numberOf = (page) => /(\d{4})-[^/]+$/.exec(page)?.[1]

/** Two branches take the next number at the same time: whoever lands second has to take another. */
const takenTwice = (pages) => {
  const numbers = pages.map((page) => numberOf(page))
  return pages.filter((page, at) => numbers[at] !== undefined && numbers.indexOf(numbers[at]) !== at)
}

/** Links of a page to files that are not there. */
const deadLinks = (page, text) =>
  [...text.replaceAll('\\', '').matchAll(LINK)]
    .map(([, target]) => target)
    .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(page), target)))
    .map((target) => `${page}: ${target}`)

t.test('no two decisions have the same number, and each says its own', async (t) => {
  t.same(takenTwice(['0001-a.md', '0002-b.md', '0002-c.md', 'README.md']), ['0002-c.md'])
  const pages = (await pagesIn(DECISIONS)).filter((page) => numberOf(page) !== undefined)
  t.same(takenTwice(pages), [])
  for (const page of pages) {
    const text = await readFile(join(root, page), 'utf8')
    t.ok(text.startsWith(`# ${numberOf(page)} · `), `${page} begins with its number`)
  }
})

t.test('what the documents link to is there', async (t) => {
  t.same(deadLinks('docs/a.md', '[b](errors.md#x) [c](https://a.b/c) [d](none.md) [e](#f)'), ['docs/a.md: none.md'])
  const pages = [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    ...(await pagesIn('docs')),
    ...(await pagesIn(DECISIONS)),
  ]
  for (const page of pages) t.same(deadLinks(page, await readFile(join(root, page), 'utf8')), [], page)
})
