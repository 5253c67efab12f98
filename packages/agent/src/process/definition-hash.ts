import { createHash } from 'node:crypto'
import { processIdentity } from '@lswap/core'
import type { ModelConfig } from '@lswap/core'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

export const argvHash = (argv: readonly string[]): string => hash(argv.join('\0'))

/** The same for definitions that start the same process; tells nothing of the secrets in them. */
export const definitionHash = (model: ModelConfig): string => hash(processIdentity(model))
