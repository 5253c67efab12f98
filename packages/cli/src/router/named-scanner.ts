import type { ModelScan, ModelScanner } from './model-name.ts'

/**
 * Reads a body for the filters of a model that the path names, whatever the body calls it. One that is no JSON, or that names no
 * model, has nothing that filters could go by: it goes on as it came, and the engine judges it.
 */
export const createNamedScanner = (model: string, scanner: ModelScanner): ModelScanner => {
  const named = (scan: ModelScan): ModelScan => {
    if (scan.type === 'found') return { ...scan, model }
    return scan.type === 'failed' ? { type: 'named', model } : scan
  }
  return {
    push: (chunk) => named(scanner.push(chunk)),
    end: () => named(scanner.end()),
  }
}
