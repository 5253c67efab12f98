import type { ProfileConfig } from '@lswap/core'

/** What a pin makes of a name; `target` undefined: nothing has that name. */
export interface Pin {
  readonly target: string | undefined
}

/** The profiles of a configuration, of which one or none is active. */
export interface Profiles {
  readonly all: readonly ProfileConfig[]
  active(): string | undefined
  /** Undefined: none. False: there is no such profile, and nothing changed. */
  activate(id: string | undefined): boolean
  /** What the active profile says of a name; undefined: nothing. */
  pinOf(name: string): Pin | undefined
  /** Names that some profile says something of. */
  readonly names: ReadonlySet<string>
}

/** Begins with none active, as after every start; a reload hands the active one on. */
export const createProfiles = (all: readonly ProfileConfig[]): Profiles => {
  const pins = new Map(
    all.map(({ id, pins: list }) => [id, new Map(list.map(({ name, target }) => [name, { target }]))]),
  )
  let active: string | undefined
  return {
    all,
    names: new Set(all.flatMap(({ pins: list }) => list.map(({ name }) => name))),
    active: () => active,
    activate: (id) => {
      if (id !== undefined && !pins.has(id)) return false
      active = id
      return true
    },
    pinOf: (name) => (active === undefined ? undefined : pins.get(active)?.get(name)),
  }
}
