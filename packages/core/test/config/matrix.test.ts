import t from 'tap'
import { LOCAL_HOST, modelId } from '../../src/ids.ts'
import { swapperOf } from '../../src/evict/choose.ts'
import { resident } from '../evict/question.ts'
import { configOf, issuesOf } from './reading.ts'

const MODELS = [
  'models:',
  '  a: { cmd: "x ${PORT}", aliases: [alpha] }',
  '  b: { cmd: "x ${PORT}" }',
  '  org/c:q4: { cmd: "x ${PORT}" }',
  '',
].join('\n')

t.test('a matrix is read as llama-swap reads it', async (t) => {
  const { matrix } = configOf(
    `${MODELS}matrix: { vars: { c: org/c:q4, one: alpha }, evict_costs: { c: 30, b: 2 }, sets: { 2: one & c, 1: "+2 | b" } }`,
  )
  t.same(matrix, {
    sets: [
      {
        name: '2',
        expression: {
          type: 'together',
          parts: [
            { type: 'model', model: 'a' },
            { type: 'model', model: 'org/c:q4' },
          ],
        },
      },
      {
        name: '1',
        expression: {
          type: 'either',
          parts: [
            {
              type: 'together',
              parts: [
                { type: 'model', model: 'a' },
                { type: 'model', model: 'org/c:q4' },
              ],
            },
            { type: 'model', model: 'b' },
          ],
        },
      },
    ],
    evictCosts: new Map([
      ['org/c:q4', 30],
      ['b', 2],
    ]),
  })
})

t.test('it decides what must go', async (t) => {
  const swapper = swapperOf(configOf(`${MODELS}matrix: { evict_costs: { b: 5 }, sets: { s: a & b, t: a & org/c:q4 } }`))
  t.equal(swapper.name, 'matrix')
  const residents = [resident('b'), resident('org/c:q4')]
  t.match(swapper.plan({ now: 0, target: modelId('a'), host: LOCAL_HOST, residents, memory: undefined }), {
    models: ['org/c:q4'],
  })
})

const matrix = (content: string): string => `${MODELS}matrix: ${content}`

t.test('mistakes in expressions are told at their character', async (t) => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'an unknown name',
      matrix('{ sets: { s: a & alhpa } }'),
      ['5:26: error: matrix.sets.s: there is no model or variable alhpa (did you mean alpha?)'],
    ],
    [
      'in quotes',
      matrix('{ sets: { s: "a & alhpa" } }'),
      ['5:27: error: matrix.sets.s: there is no model or variable alhpa (did you mean alpha?)'],
    ],
    [
      'an unknown set',
      matrix('{ sets: { both: a & b, s: a | +bohh } }'),
      ['5:39: error: matrix.sets.s: there is no set bohh (did you mean both?)'],
    ],
    [
      'a variable that nearly is one',
      matrix('{ vars: { first: a }, sets: { s: frist } }'),
      ['5:42: error: matrix.sets.s: there is no model or variable frist (did you mean first?)'],
    ],
    [
      'a parenthesis that is never closed',
      matrix('{ sets: { s: a & (b | a } }'),
      ['5:26: error: matrix.sets.s: this parenthesis is never closed'],
    ],
    [
      'one that was never opened',
      matrix('{ sets: { s: a | b) } }'),
      ['5:27: error: matrix.sets.s: this parenthesis was never opened'],
    ],
    [
      'sets in a circle: one of them tells',
      matrix('{ sets: { x: a & +y, y: b | +z, z: +x, other: +x } }'),
      ['5:44: error: matrix.sets.z: +x: sets include each other in a circle: x → y → z → x'],
    ],
    [
      'a mistake that others include',
      matrix('{ sets: { x: nope, y: +x & a } }'),
      ['5:22: error: matrix.sets.x: there is no model or variable nope'],
    ],
    [
      'under the router',
      `${MODELS}routing: { router: { use: matrix, settings: { matrix: { sets: { s: b b } } } } }`,
      ['5:70: error: routing.router.settings.matrix.sets.s: & or | is missing before b'],
    ],
    [
      'text on several lines: where it begins',
      matrix('{ sets: { s: "a &\n  nope" } }'),
      ['5:22: error: matrix.sets.s: there is no model or variable nope'],
    ],
    [
      'text out of a macro: where it is used',
      `macros: { m: a & nope }\n${matrix('{ sets: { s: "${m}" } }')}`,
      ['6:22: error: matrix.sets.s: there is no model or variable nope'],
    ],
  ]
  for (const [name, text, lines] of cases) t.same(issuesOf(text), lines, name)
})

t.test('mistakes in variables and costs', async (t) => {
  const sets = 'sets: { s: a }'
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'a variable for no model',
      matrix(`{ vars: { v: alhpa }, ${sets} }`),
      ['5:22: error: matrix.vars.v: no model has the id or alias "alhpa" (did you mean alpha?)'],
    ],
    [
      'a name that is none',
      matrix(`{ vars: { a_b: a }, ${sets} }`),
      ["5:19: error: matrix.vars.a_b: a variable's name has letters, digits, . and -, at most 32"],
    ],
    [
      'a cost of nothing',
      matrix(`{ evict_costs: { a: 0 }, ${sets} }`),
      ['5:29: error: matrix.evict_costs.a: expected a whole number, 1 or more, found the number 0'],
    ],
    [
      'a cost of something unknown',
      matrix(`{ vars: { first: b }, evict_costs: { frist: 2 }, ${sets} }`),
      ['5:46: error: matrix.evict_costs.frist: there is no model or variable "frist" (did you mean first?)'],
    ],
    [
      'two costs for one model',
      matrix(`{ vars: { v: a }, evict_costs: { a: 2, v: 3 }, ${sets} }`),
      ['5:48: error: matrix.evict_costs.v: the model "a" has a cost already, by another name'],
    ],
    [
      'an unknown key',
      matrix('{ set: { s: a } }'),
      ['5:11: error: matrix.set: unknown key "set"; valid are vars, evict_costs, sets (did you mean sets?)'],
    ],
  ]
  for (const [name, text, lines] of cases) t.same(issuesOf(text), lines, name)
})

const onePort = (set: string): string =>
  `models:\n  a: { cmd: "x --port 9001" }\n  b: { cmd: "x --port 9001" }\nmatrix: { sets: { s: ${set} } }`

t.test('two models of one port may not be in one set', async (t) => {
  t.same(issuesOf(onePort('a | b')), [])
  t.match(issuesOf(onePort('a & b')), [/^3:13: error: models\.b\.cmd: port 9001 is also that of the model "a"/])
})
