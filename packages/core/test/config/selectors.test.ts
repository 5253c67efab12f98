import t from 'tap'
import { configOf, issuesOf } from './reading.ts'

const models = `
models:
  a: { cmd: "x \${PORT}", aliases: [first] }
  b: { cmd: "x \${PORT}" }
groups: { pair: { swap: false, members: [a, b] } }
peers: { other: { proxy: "http://192.0.2.1:8080", models: [m, org/n] } }
`

t.test('a selector has a strategy and targets: models, aliases and models of peers', async (t) => {
  const { selectors } = configOf(`${models}
selectors:
  one: { strategy: pin, targets: [first, m], name: One, unlisted: true, metadata: { n: 1 } }
  two: { strategy: warm, targets: [a, b] }
  three: { strategy: spillover, targets: [a, b, other/org/n], settings: { spillover: 4 } }
`)
  t.match(selectors, [
    {
      id: 'one',
      strategy: 'pin',
      targets: ['first', 'm'],
      name: 'One',
      unlisted: true,
      metadata: { n: 1 },
      spillover: 1,
    },
    { id: 'two', strategy: 'warm', targets: ['a', 'b'], unlisted: false },
    { id: 'three', strategy: 'spillover', targets: ['a', 'b', 'other/org/n'], spillover: 4 },
  ])
})

const said = (line: string): readonly string[] => issuesOf(`${models}selectors: { ${line} }\n`)

t.test('each mistake in a selector has its place', async (t) => {
  t.match(said('x: { targets: [a] }'), [/^7:14: error: selectors\.x\.strategy: strategy is missing$/])
  t.match(said('x: { strategy: pin }'), [/^7:14: error: selectors\.x\.targets: targets is missing$/])
  t.match(said('x: { strategy: worm, targets: [a] }'), [
    /one of pin, warm, spillover, found the text "worm" \(did you mean warm\?\)/,
  ])
  t.match(said('x: { strategy: pin, targets: [frist] }'), [
    /^7:44: error: selectors\.x\.targets\[0\]: no model .*did you mean first/,
  ])
  t.match(said('x: { strategy: pin, targets: [y] }, y: { strategy: pin, targets: [a] }'), [
    /a selector can not choose another selector$/,
  ])
  t.match(said('first: { strategy: pin, targets: [a] }'), [
    /^7:14: error: selectors\.first: a model or an alias has this name already$/,
  ])
  t.match(said('x: { strategy: warm, targets: [m] }'), [/whether a model of a peer is warm is not known/])
  t.match(said('x: { strategy: spillover, targets: [a, first] }'), [/^7:53: error: .*the same model as "a"$/])
  t.match(said('x: { strategy: spillover, targets: [a], settings: { spillover: 0 } }'), [
    /a whole number, 1 or more, found the number 0/,
  ])
})

t.test('spilling over between models that swap each other is told', async (t) => {
  const apart = models.replace('swap: false', 'swap: true')
  t.match(issuesOf(`${apart}selectors: { x: { strategy: spillover, targets: [a, b] } }\n`), [
    /^7:53: warning: .*can not be loaded beside "a": spilling over would swap them$/,
  ])
  t.same(issuesOf(`${models}selectors: { x: { strategy: spillover, targets: [a, b] } }\n`), [])
})
