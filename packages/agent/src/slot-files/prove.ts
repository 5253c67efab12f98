import { fileNameOf, type SlotFolder, type SlotName } from './folder.ts'
import type { SlotRoutes } from './slot-routes.ts'

/** Some engines restore with success and reuse nothing, depending on build and model. */
const PROMPT = Array.from({ length: 8 }, (_, at) => `Line ${at} of what nobody asked for.`).join('\n')
/** The last tokens are always computed again. */
const FEW = 8
const SLOT = 0
/** No slot has this number, so no conversation this file. */
const FILE = 999_999

/**
 * Whether what this engine restores is of use to it: reads a short prompt in its first slot, saves, erases, restores, and
 * reads it again. That slot must hold nothing that is still wanted. Returns why not; undefined: it is.
 */
export const whyNotOfUse = async (
  routes: SlotRoutes,
  folder: SlotFolder,
  owner: Omit<SlotName, 'slot'>,
): Promise<string | undefined> => {
  const name = { ...owner, slot: FILE }
  const file = fileNameOf(name)
  try {
    await routes.read(SLOT, PROMPT)
    const saved = await routes.save(SLOT, file)
    await routes.erase(SLOT)
    await routes.restore(SLOT, file)
    const reused = await routes.read(SLOT, PROMPT)
    await routes.erase(SLOT)
    if (reused >= saved - FEW && reused > 0) return undefined
    return `of ${saved} restored tokens it used ${reused}`
  } finally {
    await folder.remove(name)
  }
}
