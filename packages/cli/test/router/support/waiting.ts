import { ask, type Told } from './ask.ts'

/** The fields of GET /api/queue that tests look at. */
export interface QueuePage {
  readonly total: number
  readonly waiting: readonly {
    readonly id: number
    readonly model: string
    readonly position: number
    readonly band: string
    readonly why: string
  }[]
}

export const queuePage = async (
  port: number,
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<QueuePage> => JSON.parse((await ask(port, { path: `/api/queue${query}`, headers })).text) as QueuePage

/** Asks a model and resolves once that waits: the number of the request, and its answer to come. */
export const waits = async (
  port: number,
  name: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly id: number; readonly answer: Promise<Told> }> => {
  const before = new Set((await queuePage(port)).waiting.map(({ id }) => id))
  const answer = ask(port, { body: JSON.stringify({ model: name }), headers })
  const end = performance.now() + 60_000
  while (performance.now() < end) {
    const found = (await queuePage(port)).waiting.find(({ id }) => !before.has(id))
    if (found !== undefined) return { id: found.id, answer }
  }
  throw new Error(`the request for ${name} did not come to wait`)
}
