import type { ModelId } from '../../ids.ts'
import type { Expression, ExpressionError, Parsed } from './expression.ts'

/** Parentheses deeper than this are a mistake, and would only threaten the stack. */
const DEEPEST = 100

interface Names {
  /** The model that a name stands for. */
  model(name: string): ModelId | undefined
  /** The expression of another set, for `+name`. */
  include(name: string): Parsed<Expression> | undefined
}

type Token = { readonly at: number } & (
  | { readonly type: 'name' | 'include'; readonly name: string }
  | { readonly type: '&' | '|' | '(' | ')' }
)

const TOKEN = /\s*(?:([&|()])|(\+?)([^\s&|()+]+)|(\S))/gy

/** Reads `a & (b | c) & +other`. `&` binds tighter than `|`. */
export const parseExpression = (text: string, names: Names): Parsed<Expression> => {
  try {
    return { ok: true, value: new Parser(tokenize(text), text.length, names).whole() }
  } catch (thrown) {
    if (thrown instanceof Mistake) return { ok: false, error: thrown.error }
    throw thrown
  }
}

class Mistake extends Error {
  readonly error: ExpressionError

  constructor(error: ExpressionError) {
    super(error.message)
    this.error = error
  }
}

const tokenize = (text: string): Token[] => {
  const tokens: Token[] = []
  for (const match of text.matchAll(TOKEN)) {
    const [whole, sign, plus, name, stray] = match
    const at = match.index + whole.length - whole.trimStart().length
    if (stray !== undefined) throw new Mistake({ at, message: `${JSON.stringify(stray)} has no meaning in a set` })
    if (sign !== undefined) tokens.push({ at, type: sign as '&' | '|' | '(' | ')' })
    else if (name !== undefined) tokens.push({ at, type: plus === '+' ? 'include' : 'name', name })
  }
  return tokens
}

class Parser {
  readonly #tokens: readonly Token[]
  readonly #end: number
  readonly #names: Names
  #next = 0
  #depth = 0

  constructor(tokens: readonly Token[], end: number, names: Names) {
    this.#tokens = tokens
    this.#end = end
    this.#names = names
  }

  whole(): Expression {
    const found = this.#either()
    const rest = this.#tokens[this.#next]
    if (rest !== undefined) throw new Mistake({ at: rest.at, message: leftOver(rest) })
    return found
  }

  #either(): Expression {
    return this.#chain('|', 'either', () => this.#together())
  }

  #together(): Expression {
    return this.#chain('&', 'together', () => this.#part())
  }

  #chain(sign: '&' | '|', type: 'either' | 'together', part: () => Expression): Expression {
    const first = part()
    const parts = [first]
    while (this.#tokens[this.#next]?.type === sign) {
      this.#next += 1
      parts.push(part())
    }
    return parts.length === 1 ? first : { type, parts }
  }

  #part(): Expression {
    const token = this.#tokens[this.#next]
    if (token === undefined) throw new Mistake({ at: this.#end, message: 'a model is missing at the end' })
    this.#next += 1
    switch (token.type) {
      case 'name': {
        const model = this.#names.model(token.name)
        if (model !== undefined) return { type: 'model', model }
        throw new Mistake({
          at: token.at,
          message: `there is no model or variable ${token.name}`,
          unknownName: token.name,
        })
      }
      case 'include': {
        const included = this.#names.include(token.name)
        if (included?.ok === true) return included.value
        if (included !== undefined) {
          const { message, isCircle } = included.error
          throw new Mistake({ at: token.at, message: `+${token.name}: ${message}`, isIncluded: isCircle !== true })
        }
        throw new Mistake({ at: token.at, message: `there is no set ${token.name}`, unknownName: token.name })
      }
      case '(':
        return this.#group(token.at)
      case '&':
      case '|':
      case ')':
        throw new Mistake({ at: token.at, message: `a model is missing before ${token.type}` })
      default:
        return token satisfies never
    }
  }

  #group(at: number): Expression {
    this.#depth += 1
    if (this.#depth > DEEPEST) throw new Mistake({ at, message: `parentheses are nested deeper than ${DEEPEST}` })
    const inner = this.#either()
    this.#depth -= 1
    if (this.#tokens[this.#next]?.type !== ')') throw new Mistake({ at, message: 'this parenthesis is never closed' })
    this.#next += 1
    return inner
  }
}

const leftOver = (token: Token): string => {
  if (token.type === ')') return 'this parenthesis was never opened'
  if (token.type === 'name' || token.type === 'include') return `& or | is missing before ${token.name}`
  return `${token.type} can not stand here`
}
