import { readFile } from 'node:fs/promises'
import t from 'tap'

const TOP = new URL('../../', import.meta.url)
const DOCUMENT = new URL('docs/behaviours.md', TOP)

/** Rows may change, none may get lost. */
const SECTIONS = [
  ['llama-swap · Scheduling, queueing, priority', 20],
  ['llama-swap · Process start, stop, orphans', 23],
  ['llama-swap · TTL, preload, load API', 6],
  ['llama-swap · HTTP, streaming, bodies', 12],
  ['llama-swap · Config and reload', 7],
  ['llama-swap · Auth and security', 7],
  ['llama-swap · Metrics, logs, UI', 11],
  ['llama-swap · KV cache, slots, LoRA, sleep', 5],
  ['other tools · Queue, order, starvation', 13],
  ['other tools · Thrash and needless reloads', 5],
  ['other tools · Client goes away', 3],
  ['other tools · VRAM and unload', 9],
  ['other tools · Orphans, zombies, crashes', 5],
  ['other tools · Health and watchdogs', 6],
  ['other tools · keep_alive meanings', 5],
  ['other tools · Streaming', 5],
  ['other tools · HTTP details', 2],
  ['other tools · Network and ports', 4],
  ['other tools · Config, logs', 3],
  ['other tools · Security', 3],
  ['other tools · Terminal', 5],
  ['other tools · KV save/restore (before we build on it)', 3],
  ['lswap · What its own soak found', 5],
]

const TEST = /\[((?:\\.|[^\]\\])+)\]\(\.\.\/([^)]+)\)/g
const STATES = {
  tested: /^`tested` \[/,
  'built, no test of its own': /^`built, no test of its own`(?:$|; .+ \[)/,
  'not yet': /^`not yet`: (?:HTTP face|configuration & reload|agent & fleet|dashboard|KV\/slots)(?:$|; so far \[)/,
  no: /^`no`: \S/,
}

/** Text of a Markdown table as it was before its escapes. */
const plain = (text) => text.replaceAll(/\\([^\w\s])/g, '$1')

const cells = (line) =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())

/** The tables of a document, each below its heading and without its head. */
const tablesOf = (text) =>
  text
    .split(/^##? /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n')
      const rows = lines.filter((line) => line.startsWith('|')).map(cells)
      return { title: plain(title), rows: rows.slice(2) }
    })

const [summary, ...sections] = tablesOf(await readFile(DOCUMENT, 'utf8'))
const rows = sections.flatMap((section) => section.rows)
const stateOf = (cell) => Object.keys(STATES).find((name) => STATES[name].test(cell))

t.test('every report has its row', async (t) => {
  t.same(
    sections.map(({ title, rows: { length } }) => [title, length]),
    SECTIONS,
  )
})

t.test('every row has a report, one sentence and a state', async (t) => {
  for (const row of rows) {
    const [report, behaviour, state = ''] = row
    t.equal(row.length, 3, report)
    t.ok(report)
    t.match(behaviour, /^\S.*\.$/, report)
    t.ok(stateOf(state), `${report}: ${state}`)
  }
})

t.test('a test that a row names is there, under that name', async (t) => {
  const named = new Map()
  for (const [, , state = ''] of rows) {
    for (const [, name = '', path = ''] of state.matchAll(TEST))
      named.set(`${path}: ${plain(name)}`, [path, plain(name)])
  }
  t.ok(named.size > 0)
  for (const [place, [path, name]] of named) {
    const text = await readFile(new URL(path, TOP), 'utf8').catch(() => '')
    t.ok(text.includes(name), place)
  }
})

t.test('the states are those that the first table explains', async (t) => {
  t.same(
    summary?.rows.map(([state]) => state),
    Object.keys(STATES).map((name) => `\`${name}\``),
  )
})
