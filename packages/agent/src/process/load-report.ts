// A llama-server with a router as its parent tells on stdout how far its load is, one line each:
// cmd_child_to_router:state:{"state":"loading","payload":{"stages":["text_model"],"current":"text_model","value":0.5}}

const PREFIX = Buffer.from('cmd_child_to_router:')
const STATE = 'cmd_child_to_router:state:'

/** A line of that kind; `fraction` (0…1) when it is about the load. */
export interface LoadReport {
  readonly fraction: number | undefined
}

const fractionIn = (text: string): number | undefined => {
  if (!text.startsWith(STATE)) return undefined
  try {
    const report = JSON.parse(text.slice(STATE.length)) as { state?: unknown; payload?: { value?: unknown } } | null
    const value = report?.state === 'loading' ? report.payload?.value : undefined
    return typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined
  } catch {
    return undefined
  }
}

/** What the line reports; undefined for lines of other kinds. */
export const readLoadReport = (line: Buffer): LoadReport | undefined =>
  line.subarray(0, PREFIX.length).equals(PREFIX) ? { fraction: fractionIn(line.toString('utf8')) } : undefined
