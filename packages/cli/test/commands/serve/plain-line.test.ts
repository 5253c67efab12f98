import * as fc from 'fast-check'
import pino from 'pino'
import t from 'tap'
import { plainLine } from '../../../src/commands/serve/plain-line.ts'

const time = ',"time":"2026-11-30T12:00:00.000Z"'

const pinoLine = (fields: object, message: string): string => {
  let written = ''
  const log = pino({ base: null, timestamp: () => time }, { write: (line: string) => void (written = line) })
  log.info(fields, message)
  return written
}

const latin = fc.array(fc.nat(255), { maxLength: 140 }).map((codes) => String.fromCharCode(...codes))
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), latin)
const value = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(undefined))
const key = fc.oneof(fc.constantFrom('id', 'model', 'durationMs', '7'), text).filter((name) => name !== 'msg')

t.test('a line of plain fields is the very line that pino writes', async (t) => {
  t.doesNotThrow(() => {
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 8 }), text, (fields, message) => {
        const [ours, pinos] = [plainLine({ level: 30, time, fields, message }), pinoLine(fields, message)]
        if (ours !== pinos) throw new Error(`${JSON.stringify(ours)} instead of ${JSON.stringify(pinos)}`)
      }),
      { numRuns: 2_000 },
    )
  })
})

t.test('what is more than plain is left to pino', async (t) => {
  for (const fields of [{ a: {} }, { a: [] }, { a: null }, { a: 1n }, { a: () => {} }, new Error('bug')]) {
    t.equal(plainLine({ level: 30, time, fields, message: 'm' }), undefined)
  }
})
