import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../../scripts/lib/root.mjs'

const FOLDER = join(root, 'docs/decisions')

const numberOf = (name) => /^(\d{4})-/.exec(name)?.[1]

/** Two branches take the next number at the same time: whoever lands second has to take another. */
const takenTwice = (names) => {
  const numbers = names.map((name) => numberOf(name))
  return names.filter((name, at) => numbers[at] !== undefined && numbers.indexOf(numbers[at]) !== at)
}

t.test('no two decisions have the same number, and each says its own', async (t) => {
  t.same(takenTwice(['0001-a.md', '0002-b.md', '0002-c.md', 'README.md']), ['0002-c.md'])
  const pages = (await readdir(FOLDER)).filter((name) => numberOf(name) !== undefined)
  t.same(takenTwice(pages), [])
  for (const page of pages) {
    const text = await readFile(join(FOLDER, page), 'utf8')
    t.ok(text.startsWith(`# ${numberOf(page)} · `), `${page} begins with its number`)
  }
})
