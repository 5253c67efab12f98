import type { Log } from '../../../src/router/log.ts'

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface RecordingLog extends Log {
  readonly lines: Line[]
  /** Bugs that the router noticed in itself. */
  bugs(): readonly Line[]
}

/** Keeps what is logged, for assertions. */
export const recordingLog = (): RecordingLog => {
  const lines: Line[] = []
  const at =
    (level: Line['level']) =>
    (fields: object, message: string): void =>
      void lines.push({ level, message, fields: fields as Line['fields'] })
  return {
    lines,
    bugs: () => lines.filter(({ message }) => message.startsWith('bug')),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  }
}
