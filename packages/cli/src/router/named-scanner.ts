import type { ModelScan, ModelScanner } from './model-name.ts'

/**
 * Reads a body whose model the path names, whatever the body calls it. One that names no model has nothing that filters could go by:
 * it goes on as it came. One that is broken, or names two, does not: whoever reads it otherwise would take it past the filters, or for
 * another model of a peer.
 */
export const createNamedScanner = (model: string, scanner: ModelScanner): ModelScanner => {
  const named = (scan: ModelScan): ModelScan => {
    if (scan.type === 'found') return { ...scan, model }
    return scan.type === 'failed' && scan.isWhole === true ? { type: 'named', model } : scan
  }
  return {
    push: (chunk) => named(scanner.push(chunk)),
    end: () => named(scanner.end()),
  }
}
