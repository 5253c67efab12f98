import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { cacheDir } from './cache-dir.mjs'
import { root } from './root.mjs'

const generator = join(root, 'scripts/make-gguf.mjs')

/** Two tiny models with random weights that a real llama-server serves; made once per version of the generator. */
export async function tinyModels() {
  const folder = await modelFolder()
  return Promise.all([
    tinyFile(join(folder, 'tiny-a.gguf'), ['--seed', '1']),
    tinyFile(join(folder, 'tiny-b.gguf'), ['--seed', '2']),
  ])
}

/** A LoRA for both of them, and no model. */
export async function tinyLora() {
  return tinyFile(join(await modelFolder(), 'tiny-lora.gguf'), ['--lora', '4'])
}

async function modelFolder() {
  const version = createHash('sha256')
    .update(await readFile(generator))
    .digest('hex')
    .slice(0, 12)
  const folder = join(cacheDir(), 'models', version)
  await mkdir(folder, { recursive: true })
  return folder
}

async function tinyFile(file, options) {
  if (existsSync(file)) return file
  // Renamed into place, so that two runs at once and a run cut short never leave half a model behind.
  const draft = `${file}.${process.pid}`
  try {
    await execa(process.execPath, [generator, draft, ...options], { timeout: 60_000, stdin: 'ignore' })
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
  return file
}
