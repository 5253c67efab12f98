import type { Swapper } from './swapper.ts'

/** One model at a time per host: everything else goes, pinned ones excepted. */
export const exclusive: Swapper = {
  name: 'exclusive',
  plan: ({ target, residents }) => {
    const models = residents.filter((resident) => !resident.pinned).map((resident) => resident.model)
    return { type: 'evict', models, reason: `one model at a time: ${target} needs the host to itself` }
  },
}
