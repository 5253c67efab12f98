import * as fc from 'fast-check'
import t from 'tap'
import { matrix, modelId, type ModelId } from '../../../src/index.ts'
import type { Expression } from '../../../src/evict/matrix/expression.ts'
import { question, resident } from '../question.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']

const { tree } = fc.letrec<{ tree: Expression }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...NAMES).map((name): Expression => ({ type: 'model', model: modelId(name) })),
    fc.record({
      type: fc.constantFrom('together' as const, 'either' as const),
      parts: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
  ),
}))

/** Every expansion in definition order, written out: what the matrix must never do itself. */
const expansions = (expression: Expression): ModelId[][] => {
  if (expression.type === 'model') return [[expression.model]]
  if (expression.type === 'either') return expression.parts.flatMap((part) => expansions(part))
  return expression.parts.reduce<ModelId[][]>(
    (joined, part) => joined.flatMap((left) => expansions(part).map((right) => left.concat(right))),
    [[]],
  )
}

t.test('agrees with the cheapest of all expansions written out', async (t) => {
  const property = fc.property(
    fc.array(tree, { minLength: 1, maxLength: 4 }),
    fc.constantFrom(...NAMES),
    fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom(...NAMES), fc.integer({ min: 1, max: 5 })),
    (expressions, target, others, costs) => {
      const evictCosts = new Map(Object.entries(costs).map(([name, cost]) => [modelId(name), cost]))
      const running = others.filter((name) => name !== target).map((name) => resident(name))
      const sets = expressions.map((expression, index) => ({ name: `s${index}`, expression }))
      const plan = matrix({ sets, evictCosts }).plan(question(target, running))
      const costOf = (models: readonly ModelId[]): number =>
        models.reduce((sum, model) => sum + (evictCosts.get(model) ?? 1), 0)
      const candidates = expressions
        .flatMap((expression) => expansions(expression))
        .filter((models) => models.includes(modelId(target)))
        .map((models) => running.map(({ model }) => model).filter((model) => !models.includes(model)))
      const cheapest = Math.min(...candidates.map((models) => costOf(models)))
      if (plan.type !== 'evict') return false
      if (candidates.length === 0) return plan.models.length === running.length
      const isOne = candidates.some((models) => JSON.stringify(models) === JSON.stringify(plan.models))
      return isOne && costOf(plan.models) === cheapest
    },
  )
  fc.assert(property, { numRuns: 2_000 })
  t.pass('2,000 random matrices')
})
