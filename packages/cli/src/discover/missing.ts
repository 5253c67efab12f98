import { LswapError } from '@lswap/core'
import type { Discovery } from './discover.ts'

/** How llama.cpp is installed, by platform. */
const INSTALL: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'brew install llama.cpp',
  win32: 'winget install llama.cpp',
  linux:
    'brew install llama.cpp, or unpack a release of https://github.com/ggml-org/llama.cpp/releases into a folder of PATH',
}
const ANY = 'see https://github.com/ggml-org/llama.cpp'

/** A small model that answers on any machine. */
export const FETCH = '`llama-server -hf ggml-org/gemma-3-1b-it-GGUF` fetches a small one; stop it when it listens'

/** What is missing to serve anything, with the command that gets it; undefined: nothing is. */
export const missingFor = (
  { engine, models, places }: Discovery,
  platform: NodeJS.Platform,
): LswapError | undefined => {
  const steps: string[] = []
  if (engine === undefined) steps.push(`install llama-server (${INSTALL[platform] ?? ANY})`)
  if (models.length === 0) steps.push(`put a GGUF file into ./models or ~/models (${FETCH})`)
  if (steps.length === 0) return undefined
  const lacks = engine === undefined ? ['no llama-server on PATH'] : []
  if (models.length === 0) lacks.push(`no GGUF file in ${places.map(({ path }) => path).join(', ')}`)
  return new LswapError({
    code: 'invalid_config',
    message: `Nothing to serve: ${lacks.join(', and ')}.`,
    hint: `${steps.join(', and ')}; other engines are set up in a configuration; \`lswap serve --demo\` tries lswap with two simulated models`,
  })
}
