import { execFileSync } from 'node:child_process'
import { atEnd } from '@lswap/core/test-support'
import type { Test } from 'tap'

/** A machine of its own as far as the network is concerned, at the end of a cable. */
export interface Cable {
  /** What a command there begins with. */
  readonly through: readonly string[]
  /** Its address, from here. */
  readonly address: string
  /** Nothing comes through from now on, and nobody is told. */
  readonly pull: () => void
  readonly plug: () => void
}

const ip = (...args: readonly string[]): void => void execFileSync('ip', args, { stdio: 'pipe' })

let cables = 0

/** Undefined: only somebody else may make one. */
const make = (): (Cable & { readonly remove: () => void }) | undefined => {
  // The kernel may take its time with what was removed: names are used once
  cables += 1
  const name = `lsw${process.pid % 100_000}x${cables}`
  const [here, there] = [`${name}a`, `${name}b`]
  // Of the range for tests of networks; nothing leaves this machine
  const net = `198.18.${(process.pid + cables) % 256}`
  const inside = (...args: readonly string[]): void => ip('netns', 'exec', name, 'ip', ...args)
  const remove = (): void => {
    // The other end of the cable goes with it
    ip('link', 'del', here)
    ip('netns', 'del', name)
  }
  try {
    ip('netns', 'add', name)
  } catch {
    return undefined
  }
  try {
    ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name)
    ip('addr', 'add', `${net}.1/30`, 'dev', here)
    ip('link', 'set', here, 'up')
    inside('addr', 'add', `${net}.2/30`, 'dev', there)
    inside('link', 'set', there, 'up')
    inside('link', 'set', 'lo', 'up')
  } catch {
    ip('netns', 'del', name)
    return undefined
  }
  return {
    through: ['ip', 'netns', 'exec', name],
    address: `${net}.2`,
    pull: () => inside('link', 'set', there, 'down'),
    plug: () => inside('link', 'set', there, 'up'),
    remove,
  }
}

export const hasCables = (): boolean => {
  const tried = make()
  tried?.remove()
  return tried !== undefined
}

export const cable = (t: Test): Cable => {
  const made = make()
  if (made === undefined) throw new Error('no network namespace can be made')
  atEnd(t, made.remove)
  return made
}
