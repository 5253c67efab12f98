import { readGgufHeader } from '@lswap/agent/gguf'
import { access, constants } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileReason } from '../print/file-reason.ts'
import type { FoundFile } from './find-files.ts'
import type { ReadFile } from './found-model.ts'
import { readModelName } from './model-name.ts'
import type { PassedOver } from './passed-over.ts'

export interface Reading {
  readonly files: readonly ReadFile[]
  readonly passedOver: readonly PassedOver[]
}

/** What the names and beginnings of files tell. */
export const readFiles = async (found: readonly FoundFile[]): Promise<Reading> => {
  const files: ReadFile[] = []
  const passedOver: PassedOver[] = []
  for (const file of found) {
    const header = await readGgufHeader(file.path)
    if (header === undefined) passedOver.push({ path: file.path, why: await whyNot(file) })
    else files.push({ ...file, name: readModelName(basename(file.path)), header })
  }
  return { files, passedOver }
}

const whyNot = async ({ path, bytes }: FoundFile): Promise<string> => {
  try {
    await access(path, constants.R_OK)
  } catch (error) {
    return fileReason(error)
  }
  return bytes === 0 ? 'it is empty' : 'it does not begin as a GGUF file does'
}
