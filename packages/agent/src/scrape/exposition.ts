/** One line of a metrics page. */
export interface Metric {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})?\s+(?<value>[^\s]+)/
const LABEL = /(?<key>[a-zA-Z_]\w*)="(?<value>(?:[^"\\]|\\.)*)"/g

const unescaped = (text: string): string =>
  text.replaceAll(/\\(.)/g, (_whole, each: string) => (each === 'n' ? '\n' : each))

const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(LABEL)].map(({ groups }) => [groups?.['key'] ?? '', unescaped(groups?.['value'] ?? '')]),
  )

/** Prometheus' text format; lines that are none of its are left out. */
export const readExposition = (text: string): readonly Metric[] =>
  text.split('\n').flatMap((line) => {
    const { name, labels = '', value } = LINE.exec(line)?.groups ?? {}
    const number = Number(value)
    return name === undefined || Number.isNaN(number) ? [] : [{ name, labels: labelsOf(labels), value: number }]
  })
