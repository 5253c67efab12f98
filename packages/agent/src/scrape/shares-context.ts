import { splitCommand } from '@lswap/core'

const SHARING = new Set(['-kvu', '--kv-unified'])
const DIVIDING = /^(?:-np|--parallel)(?:=|$)/

/** Whether a llama-server's slots share one context: when it is told so, or when their number is left to it. */
export const sharesContext = (cmd: string): boolean => {
  try {
    const words = splitCommand(cmd)
    return words.some((word) => SHARING.has(word)) || !words.some((word) => DIVIDING.test(word))
  } catch {
    return true
  }
}
