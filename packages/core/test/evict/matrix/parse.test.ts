import t from 'tap'
import { modelId } from '../../../src/index.ts'
import type { Expression } from '../../../src/evict/matrix/expression.ts'
import { parseSets } from '../../../src/evict/matrix/sets.ts'

const KNOWN = new Set(['a', 'b', 'c', 'd', 'org.m-1'])

const read = (sets: Record<string, string>) =>
  parseSets({
    sets: new Map(Object.entries(sets)),
    model: (name) => (KNOWN.has(name) ? modelId(name) : undefined),
  })

const show = (expression: Expression): string => {
  if (expression.type === 'model') return expression.model
  return `(${expression.parts.map((part) => show(part)).join(expression.type === 'either' ? '|' : '&')})`
}

const shown = (sets: Record<string, string>): string[] => {
  const reading = read(sets)
  if (!reading.ok) return reading.errors.map(({ set, at, message }) => `${set}:${at}: ${message}`)
  return reading.sets.map(({ name, expression }) => `${name} = ${show(expression)}`)
}

t.test('& binds tighter than |, and parentheses bind tightest', async (t) => {
  t.same(shown({ s: 'a & b | c' }), ['s = ((a&b)|c)'])
  t.same(shown({ s: 'a & (b | c) & d' }), ['s = (a&(b|c)&d)'])
  t.same(shown({ s: '((a))' }), ['s = a'])
  t.same(shown({ s: 'org.m-1|a' }), ['s = (org.m-1|a)'])
})

t.test('+name stands for another set, defined before or after', async (t) => {
  t.same(shown({ all: '+either & d', either: 'a | b' }), ['all = ((a|b)&d)', 'either = (a|b)'])
})

t.test('every mistake is named with its place', async (t) => {
  t.same(shown({ s: 'a & x' }), ['s:4: there is no model or variable x'])
  t.same(shown({ s: 'a & +x' }), ['s:4: there is no set x'])
  t.same(shown({ s: '(a | b' }), ['s:0: this parenthesis is never closed'])
  t.same(shown({ s: 'a | b)' }), ['s:5: this parenthesis was never opened'])
  t.same(shown({ s: 'a b' }), ['s:2: & or | is missing before b'])
  t.same(shown({ s: 'a &' }), ['s:3: a model is missing at the end'])
  t.same(shown({ s: '' }), ['s:0: a model is missing at the end'])
  t.same(shown({ s: '| a' }), ['s:0: a model is missing before |'])
  t.same(shown({ s: 'a & + b' }), ['s:4: "+" has no meaning in a set'])
})

t.test('sets that include each other in a circle are an error for each of them', async (t) => {
  const errors = shown({ x: 'a & +y', y: 'b | +x', z: 'c' })
  t.match(errors, [/^x:4: .*circle: x → y → x/, /^y:4: .*circle/])
  t.match(shown({ me: '+me' }), [/circle: me → me/])
})

t.test('the unknown name is there for a suggestion', async (t) => {
  const reading = read({ s: 'a & bb' })
  t.match(reading, { ok: false, errors: [{ unknownName: 'bb' }] })
})

t.test('deep nesting is an error, not a crash', async (t) => {
  t.match(shown({ s: `${'('.repeat(5_000)}a` }), [/nested deeper/])
})
