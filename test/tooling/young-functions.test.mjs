// V8 puts a function that is written right where it is assigned to a property (`call.onGone = () => …`) into the old generation. What it
// refers to, a whole request, then lives until the next full collection: that once cost a quarter of a request's processor time.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../../scripts/lib/root.mjs'

/** Where code runs for each request. */
const FOLDERS = ['cli/src/router', 'agent/src/forward', 'agent/src/embedded', 'core/src/schedule', 'core/src/pick']

const ASSIGNED =
  /^\s*(?:[\w#]+[!?]?\.)+[\w#]+ (?:\?\?|\|\|)?= (?:async )?(?:\([^()]*\)(?:: [\w<>| ]+)? =>|\w+ =>|function\b)/gm

const found = (text) => text.match(ASSIGNED)?.map((line) => line.trim()) ?? []

t.test('no function is written where it is assigned to a property, on the path of a request', async (t) => {
  const bad = []
  for (const folder of FOLDERS) {
    const path = join(root, 'packages', folder)
    const files = (await readdir(path, { recursive: true })).filter((file) => file.endsWith('.ts'))
    t.not(files.length, 0, folder)
    const texts = await Promise.all(files.map((file) => readFile(join(path, file), 'utf8')))
    bad.push(...texts.flatMap((text, at) => found(text).map((line) => `${folder}/${files[at]}: ${line}`)))
  }
  t.same(bad, [])
})

t.test('such a function is seen', async (t) => {
  for (const line of [
    '    call.onGone = () => leave()',
    'this.#options.facts.tokens = () => (x ??= y)',
    'a.b ??= async (c: D): Promise<void> => {',
    'a.b = c => d',
    'a.b = function () {',
  ])
    t.equal(found(line).length, 1, line)
  for (const line of ['a.b = once(() => c)', 'const b = () => c', 'a.b = c.filter((d) => e)', 'a.b = d'])
    t.equal(found(line).length, 0, line)
})
