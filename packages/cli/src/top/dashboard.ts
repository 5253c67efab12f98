import type { Io } from '../io.ts'
import { systemClock } from '../router/clock.ts'
import { screen } from './screen/screen.ts'
import type { Source } from './source/source.ts'
import type { UiEvent } from './state/reduce.ts'
import { startUi } from './state/ui.ts'
import { openSession, type Session } from './terminal/session.ts'

export interface DashboardOptions {
  readonly source: Source
  readonly io: Io
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly hasColor: boolean
  readonly isReadonly: boolean
  /** Aborted at its end. */
  readonly ended: AbortController
}

/** The dashboard on a terminal, from the first that is heard of the source until somebody quits. Resolves with the exit code. */
export const dashboard = async (options: DashboardOptions): Promise<number> => {
  const { source, ended } = options
  const { signal } = ended
  const clock = systemClock()
  let session: Session | undefined
  const tell = (event: UiEvent): void => session?.tell(event)
  const open = (): Session =>
    openSession({
      ...options,
      clock,
      start: startUi({ kind: source.kind, url: source.url, isReadonly: options.isReadonly }),
      screen,
      perform: source.performer({ clock, signal, tell }),
    })
  return new Promise<number>((resolve, reject) => {
    const following = source.follow({
      clock,
      signal,
      listener: {
        seen: (seen) => {
          if (session === undefined) {
            session = open()
            session.ended.then(resolve, reject)
          }
          tell({ type: 'seen', seen, at: clock.now() })
        },
        heard: () => tell({ type: 'heard' }),
        lost: (why, retryAt) => tell({ type: 'lost', at: clock.now(), why, retryAt }),
      },
    })
    following.catch((error: unknown) => (session === undefined ? reject(error) : session.fail(error)))
  }).finally(() => ended.abort())
}
