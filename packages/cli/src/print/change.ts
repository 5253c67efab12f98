import type { ModelChange } from '@lswap/core'

/** A changed model as people read it: what is different, and what comes of it. */
export const changeText = ({ id, keys, restarts, elsewhere }: ModelChange): string =>
  [
    `${id} (${keys.join(', ')}`,
    ...(restarts ? ['; restarts'] : []),
    ...(elsewhere === true ? ['; its agents go by their own files'] : []),
    ')',
  ].join('')
