import type { HostId } from '../ids.ts'
import type { PickStep } from './picker.ts'

/** What one step of a choice among replicas did, short enough to be kept with the request. */
export interface PickNote {
  readonly node: string
  /** Replicas that it was given. */
  readonly in: number
  /** Replicas that it let through. */
  readonly out: number
  /** The hosts of the first of those. */
  readonly kept: readonly HostId[]
  readonly error?: string
}

/** Bounds on what one request keeps: the usual tree has five steps in each of three tiers, and few fleets more hosts. */
const MOST_STEPS = 16
const MOST_HOSTS = 8

const noteOf = ({ node, error, ...step }: PickStep): PickNote => {
  const kept = step.out.slice(0, MOST_HOSTS).map(({ endpoint }) => endpoint.placement.host)
  const note: PickNote = { node, in: step.in.length, out: step.out.length, kept }
  return error === undefined ? note : { ...note, error }
}

export const notesOf = (trace: readonly PickStep[]): PickNote[] =>
  trace.slice(0, MOST_STEPS).map((step) => noteOf(step))
