import type {
  EndedState,
  HostState,
  ModelState,
  NoticeState,
  RunningState,
  SwapState,
  WaitingState,
} from './entities.ts'

/** What tells the items of each list apart. */
export const keys = {
  hosts: ({ host }: HostState): string => host,
  models: ({ model }: ModelState): string => model,
  waiting: ({ id }: WaitingState): number => id,
  running: ({ id }: RunningState): number => id,
  ended: ({ id }: EndedState): number => id,
  swaps: ({ generation }: SwapState): number => generation,
  notices: ({ number }: NoticeState): number => number,
}
