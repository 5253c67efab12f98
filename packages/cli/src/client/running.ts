import { isRecord, optionalNumber, optionalText, records } from './fields.ts'
import { needText } from './need.ts'
import { QUICK_MS, type RouterClient } from './router-client.ts'

/** A model with a process, or with requests that wait for one, as GET /running tells it. */
export interface RunningModel {
  readonly model: string
  readonly state: string
  readonly host: string | undefined
  readonly pid: number | undefined
  readonly memoryBytes: number | undefined
  /** What it is taken to need, as in `8 GiB measured`. */
  readonly need?: string | undefined
  readonly inFlight: number | undefined
  readonly waiting: number | undefined
  /** How long nothing has used it, in milliseconds. */
  readonly idleMs: number | undefined
  /** How long until it is unloaded for being idle, in milliseconds. */
  readonly untilMs: number | undefined
  /** How long until it is loaded again by itself, in milliseconds. */
  readonly restoreMs?: number | undefined
  /** Why it is stuck, or why its last start failed. */
  readonly reason?: string | undefined
  /** It stays whatever else is asked for. */
  readonly pinned: boolean
}

/** A host of the router. */
export interface RunningHost {
  readonly host: string
  readonly up: boolean
  /** Why it can not be used. */
  readonly reason: string | undefined
  /** Since when it is up or down, in milliseconds since 1970. */
  readonly since?: number | undefined
  /** Everything that is wrong with it. */
  readonly problems: readonly HostProblem[]
}

export interface HostProblem {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
}

export interface Running {
  readonly models: readonly RunningModel[]
  /** Empty where the key does not allow to see them. */
  readonly hosts: readonly RunningHost[]
  /** Models that no host has. */
  readonly unplaced: readonly string[]
  /** The router's own document, for `--json`. */
  readonly document: unknown
}

export const running = async (router: RouterClient): Promise<Running> => {
  const { body } = await router.ask({ method: 'GET', path: '/running', deadlineMs: QUICK_MS })
  const list = isRecord(body) ? records(body['running']) : []
  const hosts = isRecord(body) ? records(body['hosts']) : []
  const unplaced: unknown = isRecord(body) ? body['unplaced'] : []
  return {
    document: body,
    hosts: hosts.map((record) => ({
      host: optionalText(record, 'host') ?? '?',
      up: record['up'] === true,
      reason: reasonOf(record),
      since: optionalNumber(record, 'since'),
      problems: records(record['problems']).map((problem) => ({
        code: optionalText(problem, 'code') ?? '?',
        message: optionalText(problem, 'message') ?? '?',
        hint: optionalText(problem, 'hint'),
      })),
    })),
    unplaced: Array.isArray(unplaced) ? unplaced.filter((id): id is string => typeof id === 'string') : [],
    models: list.map((record) => ({
      model: optionalText(record, 'model') ?? '?',
      state: optionalText(record, 'state') ?? '?',
      host: optionalText(record, 'host'),
      pid: optionalNumber(record, 'pid'),
      memoryBytes: optionalNumber(record, 'memoryBytes'),
      need: needText(record['size']),
      inFlight: optionalNumber(record, 'inFlight'),
      waiting: optionalNumber(record, 'waiting'),
      idleMs: optionalNumber(record, 'idleMs'),
      untilMs: optionalNumber(record, 'untilMs'),
      restoreMs: optionalNumber(record, 'restoreMs'),
      reason: reasonOf(record),
      pinned: record['pinned'] === true,
    })),
  }
}

const reasonOf = ({ failure }: Readonly<Record<string, unknown>>): string | undefined =>
  isRecord(failure) ? optionalText(failure, 'message') : undefined
