import type { Engine } from './engine.ts'

/** A parent that asks for it gets the state of the load on standard output, and the engine ends with its standard input. */
export function hasRouterParent(): boolean {
  return process.env['LLAMA_SERVER_ROUTER_PORT'] !== undefined
}

export function reportLoading(fraction: number): void {
  report('loading', { stages: ['text_model'], current: 'text_model', value: fraction })
}

export function reportReady(engine: Engine): void {
  report('ready', { id: engine.name, aliases: [engine.name], object: 'model', owned_by: 'llamacpp' })
}

function report(state: string, payload: unknown): void {
  if (!hasRouterParent()) return
  process.stdout.write(`cmd_child_to_router:state:${JSON.stringify({ state, payload })}\n`)
}
