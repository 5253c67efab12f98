import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { architectureOf } from './gguf-head.mjs'

// Deep enough for Hugging Face's hub (models--x/snapshots/commit/folder/file); short enough for a network drive.
const depthLimit = 5
const entryLimit = 50_000
const timeLimitMs = 4_000

const part = /-(?<part>\d{5})-of-(?<parts>\d{5})$/
const notForChat = /mmproj|^ggml-vocab|embed/i
const encoders = /bert|^clip$|^t5encoder$|whisper|wavtokenizer/i

/**
 * Chat models below these folders as `{path, bytes}`, the smallest first. Looks only so deep and so long, since a
 * model folder may lie on a slow disk.
 */
export async function findModels(places) {
  const budget = { entries: entryLimit, until: performance.now() + timeLimitMs }
  const paths = []
  for (const place of places) await collect(place, 0, { budget, paths })
  const models = await Promise.all([...new Set(paths)].map((path) => describe(path)))
  return models
    .filter((model) => model !== undefined)
    .toSorted((a, b) => a.bytes - b.bytes || (a.path < b.path ? -1 : 1))
}

async function collect(folder, depth, { budget, paths }) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    budget.entries -= 1
    if (budget.entries < 0 || performance.now() > budget.until) return
    const path = join(folder, entry.name)
    // Links to files are followed (Hugging Face's snapshots are links), links to folders are not: they may go round.
    if (entry.isDirectory() && depth < depthLimit) await collect(path, depth + 1, { budget, paths })
    else if (!entry.isDirectory() && isChatModel(entry.name)) paths.push(path)
  }
}

/** Whether a file's name is one of a whole chat model: the first part stands for a model in parts. */
function isChatModel(name) {
  if (!name.endsWith('.gguf') || notForChat.test(name)) return false
  const groups = part.exec(basename(name, '.gguf'))?.groups
  return groups === undefined || Number(groups.part) === 1
}

async function describe(path) {
  try {
    const [{ size }, architecture] = await Promise.all([stat(path), architectureOf(path)])
    if (architecture === undefined || encoders.test(architecture)) return undefined
    const parts = Number(part.exec(basename(path, '.gguf'))?.groups.parts ?? 1)
    return { path, bytes: size * parts }
  } catch {
    // Unreadable, or a link whose file is gone: not a model that could be served.
    return undefined
  }
}
