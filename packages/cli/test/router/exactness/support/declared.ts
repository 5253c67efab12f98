import type { Field, Message } from './message.ts'

/** Every difference that the router may make; whatever is not named here must be the same. */
interface Declared {
  /** Each side has its own, or none. */
  readonly replaced: readonly string[]
  /** May be there although the direct way has none; where it has one, that one stays. */
  readonly added: readonly string[]
}

export const OF_REQUESTS: Declared = {
  // The framing is compared by what it frames; Expect is answered by the router
  replaced: ['host', 'connection', 'expect', 'content-length', 'transfer-encoding'],
  added: [],
}

export const OF_RESPONSES: Declared = {
  // Trailers pass without their announcement
  replaced: ['connection', 'keep-alive', 'content-length', 'transfer-encoding', 'trailer'],
  added: [
    'date',
    'server-timing',
    'x-accel-buffering',
    'x-request-id',
    'x-lswap-request-id',
    'x-lswap-model',
    'x-lswap-host',
    'x-lswap-wait-ms',
  ],
}

export interface Pair {
  readonly direct: Message
  readonly routed: Message
}

/** The fields of both ways without what is declared, names, order and duplicates as they came. */
export const comparable = ({ direct, routed }: Pair, { replaced, added }: Declared): Record<keyof Pair, Field[]> => {
  const has = new Set(direct.fields.map(([name]) => name.toLowerCase()))
  const isKept = ([field]: Field): boolean => {
    const name = field.toLowerCase()
    return !replaced.includes(name) && !(added.includes(name) && !has.has(name))
  }
  return { direct: direct.fields.filter(isKept), routed: routed.fields.filter(isKept) }
}

export const count = ({ fields }: Message, name: string): number =>
  fields.filter(([field]) => field.toLowerCase() === name).length
