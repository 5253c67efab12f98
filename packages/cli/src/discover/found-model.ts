import type { GgufHeader } from '@lswap/agent/gguf'
import type { ModelName } from './model-name.ts'

/** A file with what its name and its beginning tell. */
export interface ReadFile {
  readonly path: string
  readonly bytes: number
  readonly modifiedMs: number
  readonly name: ModelName
  readonly header: GgufHeader
}

/** A model that llama-server can serve. */
export interface FoundModel {
  readonly id: string
  readonly aliases: readonly string[]
  /** The first part of a split one. */
  readonly path: string
  /** Of all parts. */
  readonly bytes: number
  /** The file that lets it see or hear. */
  readonly projector: string | undefined
  readonly purpose: 'chat' | 'embeddings' | 'reranking'
}
