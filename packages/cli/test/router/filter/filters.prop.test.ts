import * as fc from 'fast-check'
import t from 'tap'
import { createSplicer, growth } from '../../../src/router/body/splice.ts'
import { editsOf, scanningFor } from '../../../src/router/filter/filters.ts'
import { createModelScanner, type ModelScan } from '../../../src/router/model-name.ts'
import { model } from '../support/config.ts'

type Entry = readonly [key: string, value: unknown]

// Few keys, so that they meet; some that must be escaped, one that is longer than others may be
const key = fc.constantFrom('x', 'y', 'é"', '__proto__', 'k'.repeat(70), 'messages')
const value = fc.jsonValue({ maxDepth: 2 })
const entry = fc.tuple(key, value)
const space = fc.constantFrom('', ' ', '\n\t', '  ')
const filters = fc.record({
  stripParams: fc.uniqueArray(key, { maxLength: 3 }),
  setParams: fc.uniqueArray(fc.record({ key, json: value.map((one) => JSON.stringify(one)) }), {
    maxLength: 3,
    selector: ({ key: name }) => name,
  }),
})

/** Escapes each letter: the same key in other bytes. */
const escaped = (text: string): string =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`

/** What a parser makes of the entries: the last of a key counts. */
const parsed = (entries: readonly Entry[]): unknown =>
  JSON.parse(`{${entries.map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`).join(',')}}`)

/** Order does not matter in an object, and `__proto__` is a key like any other. */
const sorted = (object: unknown): string =>
  JSON.stringify(Object.entries(object as Record<string, unknown>).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const scanIn = (bytes: Buffer, size: number, one: ReturnType<typeof model>): ModelScan => {
  const scanner = createModelScanner(scanningFor([one], () => one, new Set()))
  for (let at = 0; at < bytes.length; at += size) {
    const verdict = scanner.push(bytes.subarray(at, at + size))
    if (verdict.type !== 'more') return verdict
  }
  return scanner.end()
}

t.test('edited bytes parse to what an edit of the parsed object gives', async (t) => {
  let edited = 0
  fc.assert(
    fc.property(
      fc.record({
        before: fc.array(entry, { maxLength: 4 }),
        behind: fc.array(entry, { maxLength: 4 }),
        filters,
        useModelName: fc.option(fc.constantFrom('z', 'größe "1"'), { nil: undefined }),
        space,
        isEscaped: fc.boolean(),
        size: fc.integer({ min: 1, max: 40 }),
      }),
      ({ before, behind, filters: given, useModelName, space: gap, isEscaped, size }) => {
        const one = model('a', { useModelName, filters: { ...given, setParamsById: [] } })
        const entries: Entry[] = [...before, ['model', 'a'], ...behind]
        const write = (name: string): string => (isEscaped ? escaped(name) : JSON.stringify(name))
        const pairs = entries.map(([name, it]) => `${gap}${write(name)}${gap}:${gap}${JSON.stringify(it)}${gap}`)
        const bytes = Buffer.from(`${gap}{${pairs.join(',')}}${gap}`)

        const found = scanIn(bytes, size, one)
        if (found.type !== 'found') return false
        const edits = editsOf(one, found)
        edited += edits.length
        const splicer = createSplicer(edits)
        const result = Buffer.concat(
          Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
            splicer(bytes.subarray(at * size, (at + 1) * size)),
          ).flat(),
        )

        const sets = new Map(given.setParams.map(({ key: name, json }) => [name, JSON.parse(json) as unknown]))
        const kept = entries.filter(([name]) => sets.has(name) || !given.stripParams.includes(name))
        const expected = kept.map(([name, it]): Entry => {
          if (name === 'model') return [name, useModelName ?? it]
          return [name, sets.has(name) ? sets.get(name) : it]
        })
        const missing = [...sets].filter(([name]) => !entries.some(([other]) => other === name))
        return (
          result.length === bytes.length + growth(edits) &&
          sorted(JSON.parse(result.toString())) === sorted(parsed([...expected, ...missing]))
        )
      },
    ),
    { numRuns: 500 },
  )
  t.ok(edited > 500, 'most had something to do')
})
