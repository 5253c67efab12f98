import { isRecord, optionalNumber, optionalText, records, type JsonRecord } from './fields.ts'
import { needText } from './need.ts'
import { QUICK_MS, type RouterClient } from './router-client.ts'

/** A model that can be asked for, as GET /v1/models tells it. */
export interface KnownModel {
  readonly id: string
  readonly aliases: readonly string[]
  readonly state: string
  readonly hosts: readonly string[]
  readonly waiting: number | undefined
  readonly expectedLoadMs: number | undefined
  readonly name: string | undefined
  /** What it is taken to need; where that differs, by host. */
  readonly need?: string | undefined
}

export interface KnownModels {
  readonly models: readonly KnownModel[]
  /** The router's own document, for `--json`. */
  readonly document: unknown
}

export const askModels = async (router: RouterClient, deadlineMs: number = QUICK_MS): Promise<KnownModels> => {
  const { body } = await router.ask({ method: 'GET', path: '/v1/models', deadlineMs })
  return { models: (isRecord(body) ? records(body['data']) : []).map(readModel), document: body }
}

const readModel = (record: JsonRecord): KnownModel => {
  const meta = isRecord(record['meta']) ? record['meta'] : {}
  const own = isRecord(meta['lswap']) ? meta['lswap'] : {}
  return {
    id: optionalText(record, 'id') ?? '?',
    aliases: texts(record['aliases']),
    state: optionalText(own, 'state') ?? '?',
    hosts: texts(own['hosts']),
    waiting: optionalNumber(own, 'queue'),
    expectedLoadMs: optionalNumber(own, 'expectedLoadMs'),
    name: optionalText(record, 'name'),
    need: needsText(own['sizes']),
  }
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

const needsText = (sizes: unknown): string | undefined => {
  const needs = Object.entries(isRecord(sizes) ? sizes : {}).flatMap(([host, size]) => {
    const text = needText(size)
    return text === undefined ? [] : [[host, text] as const]
  })
  if (needs.length === 0) return undefined
  const [first] = needs
  const isOne = needs.every(([, text]) => text === first?.[1])
  return isOne ? first?.[1] : needs.map(([host, text]) => `${host}: ${text}`).join(', ')
}
