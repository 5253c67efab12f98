import * as z from 'zod'

// The kinds of values in a configuration. Each schema's error is the expectation alone ("a whole number, 0 or more"):
// the check that walks the file adds what was found and where.

/** Keys of llama-swap that are known and have no effect here, with the reason. */
export const UNUSED = new WeakMap<z.core.$ZodType, string>()

/** Marks a schema of its own: what is marked must not be used for another key too. */
export const unused = <S extends z.ZodType>(schema: S, reason: string): S => {
  UNUSED.set(schema, `no effect: ${reason}`)
  return schema
}

/** A map with these keys and no others; all may be missing. */
export const section = <S extends z.ZodRawShape>(shape: S): SectionSchema<S> => z.strictObject(shape).partial()
type SectionSchema<S extends z.ZodRawShape> = z.ZodObject<
  { -readonly [K in keyof S]: z.ZodOptional<S[K]> },
  z.core.$strict
>

export const mapOf = <S extends z.ZodType>(value: S): z.ZodRecord<z.ZodString, S> => z.record(z.string(), value)
export const listOf = <S extends z.ZodType>(item: S): z.ZodArray<S> => z.array(item)

export const text = (): z.ZodString => z.string({ error: 'text' })
export const textLike = (pattern: RegExp, expected: string): z.ZodString =>
  z.string({ error: expected }).regex(pattern, { error: expected })
export const flag = (): z.ZodBoolean => z.boolean({ error: 'true or false' })
export const oneOf = <const T extends readonly [string, ...string[]]>(
  ...values: T
): z.ZodEnum<{ [K in T[number]]: K }> =>
  z.enum(values, { error: values.length === 1 ? values[0] : `one of ${values.join(', ')}` })

export const whole = (least: number, most: number, what = 'a whole number'): z.ZodInt => {
  const bounds = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `${least} or more`
  const error = least === Number.MIN_SAFE_INTEGER ? what : `${what}, ${bounds}`
  return z.int({ error }).min(least, { error }).max(most, { error })
}

/** Thirty years: as good as never, and still exact in milliseconds. */
const MAX_SECONDS = 1_000_000_000
export const seconds = (least = 0): z.ZodInt => whole(least, MAX_SECONDS, 'a whole number of seconds')
export const milliseconds = (least = 0): z.ZodInt => whole(least, MAX_SECONDS * 1000, 'a whole number of milliseconds')
export const anyInteger = (): z.ZodInt => whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
export const count = (least = 0): z.ZodInt => whole(least, Number.MAX_SAFE_INTEGER)
