import { defaultStateDir, stateHolder } from '@lswap/agent'
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { good, problem, warning, type Finding } from '../finding.ts'
import type { Probe } from '../probe.ts'

const CHECK = 'state'

/** Whether the agent can keep what must outlive it, and who does so now. */
export const stateProbe = (env: NodeJS.ProcessEnv): Probe => ({
  check: CHECK,
  look: async () => {
    const dir = defaultStateDir(env)
    const place = await nearest(dir)
    const isFolder = (await stat(place)).isDirectory()
    const mayWrite = await access(place, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    )
    if (!isFolder || !mayWrite) return [unwritable(dir, place)]
    if (place !== dir) return [good(CHECK, `${dir} will be made at the first start`)]
    const holder = await stateHolder(dir)
    return [
      ...(await modeOf(dir)),
      good(CHECK, holder === undefined ? `${dir}, used by nobody now` : `${dir}, used by pid ${holder}`),
    ]
  },
})

/** The folder itself, or the nearest above it that is there. */
const nearest = async (path: string): Promise<string> => {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined || dirname(path) === path ? path : nearest(dirname(path))
}

const modeOf = async (dir: string): Promise<readonly Finding[]> => {
  const { mode } = await stat(dir)
  if (process.platform === 'win32' || (mode & 0o022) === 0) return []
  return [
    warning(CHECK, {
      what: `others may write to ${dir}`,
      why: 'who does can make the next start end processes of yours',
      advice: `chmod 700 ${dir}`,
    }),
  ]
}

const unwritable = (dir: string, place: string): Finding =>
  problem(CHECK, {
    what: `${dir} can not be ${place === dir ? 'written to' : `made: ${place} can not be written to`}`,
    why: 'lswap does not start without: it could not find its engines again after a crash',
    advice: 'give it to this user, or name another one with LSWAP_STATE_DIR',
  })
