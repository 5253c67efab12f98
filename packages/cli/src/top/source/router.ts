import { LswapError } from '@lswap/core/errors'
import { watch, type Seen } from '../../client/feed.ts'
import { QUICK_MS, type RouterClient } from '../../client/router-client.ts'
import { createEffects } from '../effects.ts'
import { follow } from '../follow/follow.ts'
import type { Source } from './source.ts'

export const routerSource = (router: RouterClient): Source => ({
  kind: 'router',
  url: router.url,
  first: () => first(router),
  follow: (following) => follow({ ...following, router }),
  performer: (performing) => createEffects({ ...performing, router }),
})

const first = async (router: RouterClient): Promise<Seen> => {
  const over = new AbortController()
  const limit = setTimeout(() => over.abort(), QUICK_MS)
  try {
    for await (const seen of watch(router, over.signal)) return seen
  } catch (error) {
    if (!over.signal.aborted) throw error
  } finally {
    clearTimeout(limit)
    over.abort()
  }
  throw new LswapError({ code: 'timed_out', message: `${router.url} did not say anything.` })
}
