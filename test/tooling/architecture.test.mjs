import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../../scripts/lib/root.mjs'

/** Folders that the map of docs/architecture.md names: `a/src/b`, `c` stands for `a/src/b` and `a/src/c`. */
const named = (text) =>
  text.split('\n').flatMap((line) => {
    const [, cell] = /^\| (`\w+\/src\/[^|]*) \|/.exec(line) ?? []
    if (cell === undefined) return []
    const [first, ...others] = cell.split(',').map((name) => name.trim().replaceAll('`', ''))
    const beside = first.slice(0, first.lastIndexOf('/') + 1)
    return [first].concat(others.map((name) => beside + name))
  })

const foldersIn = async (path) => {
  const entries = await readdir(join(root, 'packages', path), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${path}/${name}`)
}

t.test('names beside the first are read as its neighbours', async (t) => {
  t.same(named('| `cli/src/router/a`, `b-c` | text |\n| folder | holds |\n| `core/src/x` | y |'), [
    'cli/src/router/a',
    'cli/src/router/b-c',
    'core/src/x',
  ])
})

t.test('the map of the architecture has every folder, and no other', async (t) => {
  const text = await readFile(join(root, 'docs/architecture.md'), 'utf8')
  const all = (await Promise.all(['core/src', 'agent/src', 'cli/src'].map((path) => foldersIn(path)))).flat()
  const ofRouter = await foldersIn('cli/src/router')
  const map = named(text)
  t.same(
    map.filter((folder) => ![...all, ...ofRouter].includes(folder)),
    [],
    'named and not there',
  )
  t.same(
    all.filter((folder) => !map.includes(folder)),
    [],
    'there and not named',
  )
  // What belongs to a neighbour stands in the neighbour's line
  t.same(
    ofRouter.filter((folder) => !map.includes(folder) && !text.includes(`\`${folder.split('/').at(-1)}/\``)),
    [],
    'of the router, there and not named',
  )
})
