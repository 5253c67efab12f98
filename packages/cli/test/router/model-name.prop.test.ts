import * as fc from 'fast-check'
import t from 'tap'
import { createModelScanner, type ModelScan } from '../../src/router/model-name.ts'

/** Cuts bytes at the given places, in any order and as often as they come. */
const chunksOf = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b)
  return [0, ...places].map((place, index) => bytes.subarray(place, places[index] ?? bytes.length))
}

const scan = (bytes: Buffer, cuts: readonly number[]): ModelScan => {
  const scanner = createModelScanner()
  for (const chunk of chunksOf(bytes, cuts)) {
    const verdict = scanner.push(chunk)
    if (verdict.type !== 'more') return verdict
  }
  return scanner.end()
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// Strings that are full of what a scanner can stumble over
const text = fc.string({
  unit: fc.constantFrom(
    '"',
    '\\',
    'a',
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '\n',
    'é',
    '漢',
    '👍',
    '\u0000',
    '\u2028',
    'model',
  ),
  maxLength: 12,
})
const key = fc.oneof({ weight: 4, arbitrary: text }, fc.constantFrom('model', 'stream', 'Model', 'mode', '__proto__'))
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value
const entries = fc.uniqueArray(fc.tuple(key, value), { maxLength: 6, selector: ([name]) => name })
const object = entries.map((pairs) => Object.fromEntries(pairs))
const NOISE = '{ } [ ] " : , \\ 0 1 2 3 - + . e E t r u f a l s n model'.split(' ').concat(' ')
const cuts = fc.array(fc.nat(2_000), { maxLength: 12 })
const layout = fc.constantFrom(undefined, 1, '\t')

t.test('agrees with JSON.parse on every object, wherever it is cut', async (t) => {
  fc.assert(
    fc.property(object, cuts, layout, (made, places, indent) => {
      const body = JSON.stringify(made, undefined, indent)
      const expected = (JSON.parse(body) as Record<string, unknown>)['model']
      const verdict = scan(Buffer.from(body), places)
      if (typeof expected !== 'string') return verdict.type === 'failed' && verdict.failure.code === 'model_missing'
      if (verdict.type !== 'found') return false
      const slice = Buffer.from(body).subarray(verdict.start, verdict.end).toString()
      return verdict.model === expected && JSON.parse(slice) === expected
    }),
    { numRuns: 3_000 },
  )
  t.pass('held')
})

t.test('every truncation without the whole model is invalid_json', async (t) => {
  fc.assert(
    fc.property(object, fc.nat(), cuts, (made, length, places) => {
      const body = Buffer.from(JSON.stringify(made))
      const part = body.subarray(0, length % body.length)
      const verdict = scan(part, places)
      if (verdict.type === 'found') return verdict.end <= part.length && verdict.model === made['model']
      if (verdict.type !== 'failed') return false
      // Only a model that was seen and is no text ends it otherwise
      return verdict.failure.code === 'invalid_json' || typeof made['model'] !== 'string'
    }),
    { numRuns: 2_000 },
  )
  t.pass('held')
})

t.test('never calls valid JSON invalid, and never finds another model than JSON.parse', async (t) => {
  const noise = fc.string({ unit: fc.constantFrom(...NOISE), maxLength: 40 })
  fc.assert(
    fc.property(object, fc.nat(), noise, cuts, (made, at, inserted, places) => {
      const whole = JSON.stringify(made)
      const place = at % (whole.length + 1)
      const body = whole.slice(0, place) + inserted + whole.slice(place)
      const parsed = parse(body)
      const verdict = scan(Buffer.from(body), places)
      // Only a second key of the same name may differ: the first one counts here, the last one there
      const isDoubled = (body.match(/model/g) ?? []).length > 1 || body.includes('\\u')
      if (!isObject(parsed) || isDoubled) return true
      if (verdict.type === 'found') return verdict.model === parsed['model']
      return (
        verdict.type === 'failed' && verdict.failure.code === 'model_missing' && typeof parsed['model'] !== 'string'
      )
    }),
    { numRuns: 3_000 },
  )
  t.pass('held')
})
