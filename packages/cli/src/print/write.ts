import { LswapError } from '@lswap/core/errors'
import type { Output } from '../io.ts'

/** Resolves when the text is out. A reader that left (`| head`) is no error: nobody wants the rest. */
export const write = (output: Output, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    output.write(text, (error?: NodeJS.ErrnoException | null) => {
      if (error && !READER_GONE.has(error.code ?? '')) reject(cannotWrite(error))
      else resolve()
    })
  })

const READER_GONE = new Set(['EPIPE', 'ERR_STREAM_DESTROYED'])

const cannotWrite = (error: NodeJS.ErrnoException): LswapError =>
  new LswapError(
    {
      code: 'internal',
      message: `Cannot write the output: ${error.code ?? error.message}.`,
      hint: 'check the disk or the program that the output goes to',
    },
    { cause: error },
  )
