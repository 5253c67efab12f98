import type { FeedState } from './entities.ts'

/** What somebody sees who may use some models only. Notices that name no model may still speak of any, so they are left out. */
export const visibleState = (state: FeedState, mayUse: (model: string) => boolean): FeedState => {
  const own = <Item extends { readonly model: string }>(items: readonly Item[]): Item[] =>
    items.filter(({ model }) => mayUse(model))
  return {
    ...state,
    models: own(state.models),
    waiting: own(state.waiting),
    running: own(state.running),
    ended: own(state.ended),
    swaps: own(state.swaps).map((swap) => Object.assign({}, swap, { evict: swap.evict.filter(mayUse) })),
    notices: state.notices.filter(({ model }) => model !== null && mayUse(model)),
  }
}
