import { readFileSync } from 'node:fs'
import type { Candidate } from '../../src/pick/endpoint.ts'
import type { FilterContext } from '../../src/pick/filter/filter.ts'
import type { RandomSource } from '../../src/pick/picker.ts'
import { thresholdsOf } from '../../src/pick/settings.ts'
import { endpointAt } from './fixtures.ts'

export interface Pod {
  readonly name: string
  readonly waiting: number
  readonly kv: number | 'NaN'
  readonly active: readonly string[]
  readonly maxActive: number
}

interface Step {
  readonly filter: string
  readonly in: readonly string[]
  readonly out: readonly string[]
  readonly result: string
}

interface Question {
  readonly id: string
  readonly target: string
  readonly pods: readonly Pod[]
  readonly config?: { readonly [threshold: string]: number }
  readonly request?: { readonly resolvedTarget: string; readonly criticality: 'critical' | 'standard' | 'sheddable' }
}

export interface Vector extends Question {
  readonly affinityRoll?: number
  readonly rollsUsed: number
  readonly trace?: readonly Step[]
  readonly expect: {
    readonly survivors?: readonly string[]
    readonly failure?: string
    readonly error?: { readonly httpStatus: number; readonly raisedBy: string }
  }
}

export interface Distribution extends Question {
  readonly iterations: number
  readonly tolerancePercentPoints: number
  readonly expect: Readonly<Record<string, number>>
}

interface VectorFile {
  readonly vectors: readonly Vector[]
  readonly distribution: readonly Distribution[]
}

// Compiled tests run from dist; the data stays with the sources.
const file = new URL('../../../test/pick/vectors/filter-vectors.json', import.meta.url)

export const { vectors, distribution } = JSON.parse(readFileSync(file, 'utf8')) as VectorFile

/** The vectors' names for the nodes of the tree. */
export const NODE_NAMES: Readonly<Record<string, string>> = {
  critical: 'critical',
  lowQueue: 'low-queue',
  loraSoftAffinity: 'lora-affinity',
  leastQueuing: 'least-queue',
  leastKVCache: 'least-kv',
  hasCapacity: 'has-capacity',
  drop: 'drop',
}

export const kvOf = (pod: Pod): number => (pod.kv === 'NaN' ? Number.NaN : pod.kv)

export const candidateOf = (pod: Pod): Candidate => ({
  endpoint: endpointAt(pod.name),
  sample: 'fresh',
  sampleAgeMs: 0,
  inFlight: 0,
  slots: 1,
  waiting: pod.waiting,
  kv: kvOf(pod),
  activeAdapters: pod.active,
  maxAdapters: pod.maxActive,
})

export const contextOf = ({ request, config }: Question, random: RandomSource): FilterContext => ({
  critical: request?.criticality === 'critical',
  target: request?.resolvedTarget ?? '',
  thresholds: thresholdsOf({ profile: 'seed', ...config }),
  random,
})
