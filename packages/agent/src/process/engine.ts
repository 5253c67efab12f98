import type { ModelConfig } from '@lswap/core'
import type { Logger } from '../logs/logger.ts'
import type { ModelLog } from '../logs/model-log.ts'
import type { AgentState } from '../state/agent-state.ts'
import type { Child } from './child.ts'
import type { OpenConnections } from './engine-connections.ts'
import type { StartOutput } from './exit-report.ts'
import type { ExitGuard } from './exit-guard.ts'
import type { PortBook } from './port-book.ts'
import type { SlotFiles, SlotKeeper } from '../slot-files/keeper.ts'
import type { EngineTarget } from './target.ts'

/** What the process of one model needs from the agent around it. A process keeps the one that it was started with. */
export interface EngineContext {
  /** As it is configured, as far as the process can take that over: how it is stopped, not what it runs. */
  model: ModelConfig
  readonly log: Logger
  readonly output: ModelLog
  guard: ExitGuard
  readonly ports: PortBook
  readonly state: Pick<AgentState, 'bootId' | 'runs'>
  readonly openConnections: OpenConnections
  /** Where conversations are kept across swaps; absent: nowhere. */
  readonly slotFiles?: SlotFiles | undefined
  /** From SIGKILL until a process counts as stuck. */
  readonly stuckAfterMs?: number
}

/** An engine process that was spawned. */
export interface Engine {
  readonly child: Child
  readonly target: EngineTarget
  /** What `${PORT}` stood for. */
  readonly port: number
  readonly env: NodeJS.ProcessEnv
  readonly output: StartOutput
  /** It watches its stdin and ends when that is closed; signals alone leave such a llama-server hanging. */
  readonly endsWithInput: boolean
  /** It was started so that it can outlive this agent. */
  readonly isKept: boolean
  /** Keeps its conversations; undefined: nobody does. */
  readonly keeper?: SlotKeeper | undefined
  /** Resolves when its run file is written, so that the next agent would find it. */
  readonly recorded: Promise<void>
  /** Forgets the port and the run file, once nothing of it runs any more. */
  forget(): Promise<void>
}
