/** Ports above `startPort` that models are spread over. */
export const PORT_SPAN = 1000
export const DEFAULT_START_PORT = 5800
/** The highest `startPort` from which a whole span is left. */
export const MAX_START_PORT = 65_536 - PORT_SPAN

/**
 * The port of each model: `startPort` and a hash of its id, so that it does not move when other models come and go;
 * where two fall on one port, the later id takes the next free one. Models beyond the span get none.
 */
export const assignPorts = (ids: Iterable<string>, startPort: number): ReadonlyMap<string, number> => {
  const ports = new Map<string, number>()
  const taken = new Set<number>()
  for (const id of [...ids].toSorted()) {
    if (taken.size >= PORT_SPAN) break
    let offset = hash(id) % PORT_SPAN
    while (taken.has(offset)) offset = (offset + 1) % PORT_SPAN
    taken.add(offset)
    ports.set(id, startPort + offset)
  }
  return ports
}

/** FNV-1a, 32 bits, over UTF-16 units. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  }
  return value >>> 0
}

const LOCAL_URL = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0)(?::(\d{1,5}))?(?:\/|$)/i

/** The port on this machine that a `proxy` URL names outright. */
export const portOfUrl = (url: string): number | undefined => {
  const match = LOCAL_URL.exec(url)
  return match ? Number(match[1] ?? 80) : undefined
}

/** The port that a command names itself: `--port 9001` or `--port=9001`. */
export const portArgument = (words: readonly string[]): number | undefined => {
  const at = words.findIndex((word) => word === '--port' || word.startsWith('--port='))
  const given = words[at]?.startsWith('--port=') ? words[at].slice('--port='.length) : words[at + 1]
  return at !== -1 && given !== undefined && /^\d{1,5}$/.test(given) ? Number(given) : undefined
}
