import type { Config } from '../config/config.ts'
import { PORT_SPAN } from '../config/ports.ts'

/**
 * The new configuration with the ports that its models have already. Where the ids of two models fall on one port the
 * order of ids decides, so an added model would else move another's; now it takes the next free one itself.
 */
export const keepPorts = (previous: Config, next: Config): Config => {
  // Another `startPort` is meant to move them all
  if (previous.startPort !== next.startPort) return next
  const held = new Map(previous.models.map(({ id, port }) => [id, port]))
  const taken = new Set(next.models.flatMap(({ id }) => held.get(id) ?? []))
  const ports = new Map<string, number>()
  for (const { id, port } of next.models.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const own = held.get(id) ?? freePort(port, taken, next.startPort)
    taken.add(own)
    ports.set(id, own)
  }
  return { ...next, models: next.models.map((model) => ({ ...model, port: ports.get(model.id) ?? model.port })) }
}

const freePort = (wanted: number, taken: ReadonlySet<number>, startPort: number): number => {
  let port = wanted
  // There are never more models than ports in the span
  while (taken.has(port)) port = startPort + ((port - startPort + 1) % PORT_SPAN)
  return port
}
