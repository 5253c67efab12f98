import { LswapError } from '@lswap/core/errors'
import type { Output } from '../io.ts'

/** Resolves when the text is out. False: the reader left (`| head`), which is no error; nobody wants the rest, and what follows something ends. */
export const write = (output: Output, text: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    output.write(text, (error?: NodeJS.ErrnoException | null) => {
      const isGone = READER_GONE.has(error?.code ?? '')
      if (error && !isGone) reject(cannotWrite(error))
      else resolve(!isGone)
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
