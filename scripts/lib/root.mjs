import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Top folder of the checkout this script lies in, wherever it is called from. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
