import { LOCAL_HOST, modelId, requestId, type Command, type Failure, type Scheduler } from '../../src/index.ts'

/** What tests read of a scheduler. */
export class RigView {
  readonly scheduler: Scheduler
  readonly commands: Command[] = []
  now = 0

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler
  }

  phase(id: string, host: string = LOCAL_HOST): string {
    const view = this.scheduler.view(this.now).models.get(modelId(id))
    return view?.placements.find(({ placement }) => placement.host === host)?.phase ?? 'unknown'
  }

  inFlight(id: string, host: string = LOCAL_HOST): number {
    const view = this.scheduler.view(this.now).models.get(modelId(id))
    return view?.placements.find(({ placement }) => placement.host === host)?.inFlight ?? 0
  }

  cause(request: number): string | undefined {
    return this.scheduler.causeOf(requestId(request))?.type
  }

  /** Why the request was rejected, latest first. */
  failureOf(request: number): Failure | undefined {
    const found = this.commands.findLast((command) => command.type === 'reject' && command.request === request)
    return found?.type === 'reject' ? found.failure : undefined
  }

  position(request: number): number | undefined {
    return this.scheduler.positionOf(requestId(request))
  }

  /** The request's steps as `at type`, a cause or an outcome behind a colon. */
  timeline(request: number): string[] | undefined {
    return this.scheduler.timelineOf(requestId(request))?.steps.map((step) => {
      const detail =
        step.type === 'blocked' ? `:${step.cause.type}` : step.type === 'swap-ended' ? `:${step.outcome}` : ''
      return `${step.at} ${step.type}${detail}`
    })
  }
}
