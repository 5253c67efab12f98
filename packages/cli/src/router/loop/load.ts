import { ANONYMOUS, type Failure, type ModelId, type Placement, type Request, type RequestId } from '@lswap/core'
import type { Waiter } from './tickets.ts'

export type LoadOutcome =
  | { readonly type: 'ready'; readonly placement: Placement }
  | { readonly type: 'failed'; readonly failure: Failure }

/** A load that somebody asked for. */
export interface Load {
  readonly request: RequestId
  /** Known already when the model was ready or the load was refused at once. */
  outcome(): LoadOutcome | undefined
  /** Never rejects. */
  readonly done: Promise<LoadOutcome>
}

export interface AskedLoad {
  readonly id: RequestId
  readonly model: ModelId
  readonly priority: number
}

export interface LoadSeams {
  readonly submit: (request: Request, waiter: Waiter) => void
  readonly served: (request: RequestId, outcome: 'done') => void
}

/** A load is a request that takes no slot and is done as soon as it is granted. */
export const startLoad = ({ id, model, priority }: AskedLoad, { submit, served }: LoadSeams): Load => {
  let outcome: LoadOutcome | undefined
  let settle: ((outcome: LoadOutcome) => void) | undefined
  const done = new Promise<LoadOutcome>((resolve) => {
    settle = resolve
  })
  const end = (value: LoadOutcome): void => {
    outcome = value
    settle?.(value)
  }
  submit(
    { id, model, priority, criticality: 'standard', caller: ANONYMOUS, takesSlot: false, noLoad: false },
    {
      granted: ({ placement }) => {
        served(id, 'done')
        end({ type: 'ready', placement })
      },
      rejected: (failure) => end({ type: 'failed', failure }),
    },
  )
  return { request: id, outcome: () => outcome, done }
}
