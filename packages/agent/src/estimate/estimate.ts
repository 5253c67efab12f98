import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ModelConfig } from '@lswap/core'
import { readGgufHeader } from '../gguf/header.ts'
import { readEngineOptions, type EngineOptions } from './engine-options.ts'
import { shapeOf, type ModelShape } from './model-shape.ts'

const FLOAT_BYTES = 4
const PART = /-00001-of-(?<count>\d{5})\.gguf$/i

/** The files of a model: one, or all of its parts. */
const partsOf = (path: string): readonly string[] => {
  const count = PART.exec(path)?.groups?.['count']
  if (count === undefined) return [path]
  return Array.from({ length: Number(count) }, (_, at) =>
    path.replace(PART, `-${String(at + 1).padStart(5, '0')}-of-${count}.gguf`),
  )
}

/** Undefined: one of them can not be had. */
const bytesOf = async (paths: readonly string[]): Promise<number | undefined> => {
  const sizes = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)))
  return sizes.reduce<number | undefined>(
    (sum, file) => (sum === undefined || file === undefined ? undefined : sum + file.size),
    0,
  )
}

/** The cache for the context, and the room in which the next token's odds are computed. */
const workingBytes = (
  options: EngineOptions,
  { context, keyElements, valueElements, vocabulary }: ModelShape,
): number =>
  (options.context ?? context) * (keyElements * options.keyBytes + valueElements * options.valueBytes) +
  options.batch * vocabulary * FLOAT_BYTES

/**
 * What a llama-server will need, in bytes, by its files and its context; undefined: its command does not tell.
 * `onDevices`: what counts is the memory of devices, which layers may stay out of.
 */
export const estimateBytes = async (
  { cmd, env }: Pick<ModelConfig, 'cmd' | 'env'>,
  { onDevices }: { readonly onDevices: boolean },
): Promise<number | undefined> => {
  const options = readEngineOptions(cmd, env)
  if (options === undefined) return undefined
  const path = resolve(options.model)
  const [files, header] = await Promise.all([
    bytesOf([...partsOf(path), ...options.beside.map((each) => resolve(each))]),
    readGgufHeader(path),
  ])
  const shape = header === undefined ? undefined : shapeOf(header)
  if (files === undefined) return undefined
  const all = files + (shape === undefined ? 0 : workingBytes(options, shape))
  if (!onDevices || options.layers === undefined || shape === undefined) return Math.round(all)
  return Math.round(all * Math.min(1, options.layers / (shape.layers + 1)))
}
