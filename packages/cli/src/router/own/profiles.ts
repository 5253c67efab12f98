import type { Failure } from '@lswap/core'
import { sendJson } from '../answer/send.ts'
import { bodyStalled, watchStall } from '../body/stall.ts'
import type { Call } from '../call.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Profiles } from '../names/profiles.ts'

export interface ProfilesOptions {
  readonly profiles: Profiles
  readonly clock: Clock
  /** The body must go on within this time. */
  readonly stallMs: number
  readonly log: Log
  readonly fail: (call: Call, failure: Failure) => void
}

/** As llama-swap tells them. */
export const listProfiles = ({ profiles }: Pick<ProfilesOptions, 'profiles'>, call: Call): void =>
  sendJson(call.res, 200, {
    active: profiles.active() ?? null,
    profiles: profiles.all.map(({ id, description, pins }) => ({
      id,
      description: description ?? '',
      pins: Object.fromEntries(pins.map(({ name, target }) => [name, target ?? ''])),
    })),
  })

/** No name of a profile comes near. */
const MOST_BYTES = 16 * 1024

/** Makes the profile active that the body names (`{"name": "coding"}`), or none with null or an empty name. */
export const activateProfile = ({ profiles, clock, stallMs, log, fail }: ProfilesOptions, call: Call): void => {
  const chunks: Buffer[] = []
  let length = 0
  let isOver = false
  const stall = watchStall({ clock, limitMs: stallMs, isPaused: () => false }, () => {
    isOver = true
    fail(call, bodyStalled(stallMs))
  })
  call.whenOver(() => stall.stop())
  call.proceed()
  call.req.on('data', (chunk: Buffer) => {
    stall.touch()
    length += chunk.length
    if (length <= MOST_BYTES) chunks.push(chunk)
  })
  call.req.on('end', () => {
    if (isOver) return undefined
    stall.stop()
    const name = length > MOST_BYTES ? undefined : nameIn(Buffer.concat(chunks).toString())
    if (name === undefined) {
      const message = 'The body is not like {"name": "coding"}; null switches profiles off.'
      return fail(call, { code: 'invalid_json', message })
    }
    if (!profiles.activate(name === '' ? undefined : name)) {
      const hint = `Profiles of this configuration: ${profiles.all.map(({ id }) => id).join(', ') || 'none'}.`
      return fail(call, { code: 'not_found', message: `No profile "${name.slice(0, 120)}" is configured.`, hint })
    }
    log.info({ profile: name }, name === '' ? 'no profile is active' : 'a profile is active')
    return listProfiles({ profiles }, call)
  })
}

const nameIn = (text: string): string | undefined => {
  try {
    const { name } = JSON.parse(text) as { name?: unknown }
    if (name === null) return ''
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}
