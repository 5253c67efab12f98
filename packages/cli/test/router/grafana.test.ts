import { readFile } from 'node:fs/promises'
import t from 'tap'
import { answerJson } from './support/answers.ts'
import { ask } from './support/ask.ts'
import { startRig } from './support/rig.ts'

interface Dashboard {
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

const file = new URL('../../../../../docs/grafana/lswap.json', import.meta.url)
const { panels } = JSON.parse(await readFile(file, 'utf8')) as Dashboard
const METRIC = /\b(?:lswap|process|nodejs)_\w+/g
/** What Prometheus makes of a histogram's name. */
const PART = /_(?:bucket|sum|count)$/

t.test('every metric that the dashboard for Grafana asks for is one of the router, in its kind', async (t) => {
  const { port } = await startRig(t, { answer: answerJson({}) })
  const { text } = await ask(port, { path: '/metrics' })
  const kinds = new Map(Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', kind]) => [name, kind]))
  t.ok(panels.length > 10)
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      const names = expr.match(METRIC) ?? []
      t.ok(names.length > 0, `${title}: ${expr}`)
      for (const name of names) {
        const isPart = PART.test(name) && !kinds.has(name)
        const kind = kinds.get(isPart ? name.replace(PART, '') : name)
        t.equal(isPart, kind === 'histogram', `${title}: ${name} is a ${kind ?? 'name that nobody tells'}`)
        t.type(kind, 'string', `${title}: ${name}`)
        t.equal(kind === 'counter', name.endsWith('_total'), name)
        if (kind === 'counter') t.match(expr, `rate(${name}`, 'a counter is only of use as a rate')
      }
    }
  }
})

t.test('its panels do not cover each other', (t) => {
  const cells = new Set<string>()
  for (const { id, gridPos } of panels) {
    t.ok(gridPos.x + gridPos.w <= 24)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        if (cells.has(`${x} ${y}`)) t.fail(`panel ${id} covers another`)
        cells.add(`${x} ${y}`)
      }
    }
  }
  t.end()
})
