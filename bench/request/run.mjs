// What one request of a loaded model costs besides being forwarded: the scheduler's two events, metrics, the log line, the
// rates of the event feed, and reading its tokens. Each part alone, then all of them as the router does it.
// Usage, after the build: node --expose-gc --max-semi-space-size=64 bench/request/run.mjs [--only PART] [--requests 200000]
import { parseArgs } from 'node:util'
import { measure } from './measure.mjs'
import { partsOf } from './parts.mjs'

const { values } = parseArgs({ options: { only: { type: 'string' }, requests: { type: 'string', default: '200000' } } })
if (globalThis.gc === undefined) {
  console.error('bench/request: node --expose-gc --max-semi-space-size=64 bench/request/run.mjs')
  process.exit(2)
}
console.log(`node ${process.version}, 64 requests at once, mean µs of CPU and bytes allocated per request`)
for (const [name, make] of Object.entries(partsOf())) {
  if (values.only !== undefined && values.only !== name) continue
  const { us, bytes } = await measure(await make(), Number(values.requests))
  console.log(`${name.padEnd(28)}${us.toFixed(2).padStart(7)} µs ${bytes.toFixed(0).padStart(7)} bytes`)
}
process.exit(0)
