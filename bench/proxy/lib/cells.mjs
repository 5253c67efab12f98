const KIB = 1024
const SIZES = [KIB, 64 * KIB]

export const bodySizes = SIZES

/** What a round measures of each target. `seconds`: how long one of them takes; `connections`: how many ask at once. */
export function cellsOf({ seconds, bodies, connections }) {
  const requests = SIZES.flatMap((bytes) =>
    connections.map((count) => ({
      name: `${bytes / KIB} KB, c=${count}`,
      kind: 'requests',
      measure: (clients, target) => clients.requests(target, { connections: count, seconds, body: bodies[bytes] }),
    })),
  )
  // A stream of a busy engine has some twenty tokens a second
  const events = Math.max(1, Math.round(20 * seconds))
  const streams = [100, 500].map((count) => ({
    name: `${count} streams`,
    kind: 'streams',
    measure: (clients, target) => clients.streams(target, { streams: count, events, rate: 20, rampMs: 500 }),
  }))
  const beside = {
    name: '100 streams beside 20 MB bodies',
    kind: 'beside',
    measure: async (clients, target) => {
      const [measured, large] = await Promise.all([
        clients.streams(target, { streams: 100, events: events * 2, rate: 20, rampMs: 500 }),
        clients.bodies(target, { bytes: 20_000_000, everyMs: 400, seconds: seconds * 2 }),
      ])
      return { ...measured, bodies: large.count, errors: measured.errors + large.errors }
    },
  }
  return [...requests, ...streams, beside]
}
