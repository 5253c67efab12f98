import type { LogRing } from '@lswap/agent'

/** The router's own log, for who asks over HTTP. */
export interface OwnLog {
  /** Its lines, as they were made. */
  readonly ring: LogRing
  /** How a line is shown to a person; found out when somebody asks. */
  readonly shape: () => Promise<(line: string) => string>
}
