import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { realEngine as findRealEngine } from '../../../scripts/lib/real-engine.mjs'
import { tinyModels } from '../../../scripts/lib/tiny-models.mjs'

const names = ['a', 'b']
/** The simulated load; more than nothing, so that the answer "still loading" is part of what is measured. */
const loadMs = 50
/** Several threads wait for each other by spinning: where processors are shared, that noise would hide all else. */
const oneThread = ['--threads', '1']

// Each gives two models as command lines with a placeholder for the port, the same for lswap and for the direct run.

export async function simulatedEngine({ bundle }) {
  const file = join(bundle, 'fake-llama.js')
  if (!existsSync(file)) return { missing: `${file} does not exist; build first` }
  const flags = ['--load-ms', String(loadMs), '--tokens', '4', '--port', '${PORT}']
  return { models: names.map((id) => ({ id, argv: [process.execPath, file, '--alias', id, ...flags] })) }
}

export async function realEngine() {
  const { path, reason } = await findRealEngine()
  if (path === undefined) return { missing: reason }
  const files = await tinyModels()
  const flags = ['--host', '127.0.0.1', '--ctx-size', '1024', ...oneThread, '--port', '${PORT}']
  return { models: files.map((file, at) => ({ id: names[at], argv: [path, '--model', file, ...flags] })) }
}
