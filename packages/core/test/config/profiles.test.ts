import t from 'tap'
import { configOf, issuesOf } from './reading.ts'

const models = `
models: { a: { cmd: "x \${PORT}", aliases: [first] } }
peers: { other: { proxy: "http://192.0.2.1:8080", models: [m] } }
selectors: { any: { strategy: pin, targets: [a] } }
`

t.test(
  'pins point to models, aliases, models of peers and selectors; nothing and an empty text switch a name off',
  async (t) => {
    const { profiles } = configOf(
      `${models}profiles: { p: { description: d, pins: { x: a, y: first, z: m, s: any, off: null, also: "" } } }\n`,
    )
    t.same(profiles, [
      {
        id: 'p',
        description: 'd',
        pins: [
          { name: 'x', target: 'a' },
          { name: 'y', target: 'first' },
          { name: 'z', target: 'm' },
          { name: 's', target: 'any' },
          { name: 'off', target: undefined },
          { name: 'also', target: undefined },
        ],
      },
    ])
  },
)

t.test('a pin to nothing known, and a profile without pins', async (t) => {
  t.match(issuesOf(`${models}profiles: { p: { pins: { x: frist } } }\n`), [
    /^5:29: error: profiles\.p\.pins\.x: no model, alias or selector is called "frist" \(did you mean first\?\)$/,
  ])
  t.match(issuesOf(`${models}profiles: { p: { description: d } }\n`), [
    /^5:13: error: profiles\.p\.pins: a profile needs at least one pin$/,
  ])
})
