// Reads fields of JSON that another program sent: what has the wrong type counts as absent.

export type JsonRecord = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const optionalText = (record: JsonRecord, key: string): string | undefined => {
  const value = record[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const optionalNumber = (record: JsonRecord, key: string): number | undefined => {
  const value = record[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export const records = (value: unknown): readonly JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : [])
