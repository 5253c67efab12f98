import type { Config } from '../config/config.ts'
import { createRedact, type Redact } from './redact.ts'
import { secretsOf } from './secrets.ts'

/** The one place of a process that knows its secrets. */
export interface Redaction {
  /** Takes out all that are known by then. */
  readonly redact: Redact
  /** Those of a configuration count from here on; those of earlier ones still do, as text of their time may hold them. */
  know(config: Config): void
}

export const createRedaction = (): Redaction => {
  const secrets = new Set<string>()
  let redact = createRedact(secrets)
  return {
    redact: (text) => redact(text),
    know: (config) => {
      const before = secrets.size
      for (const secret of secretsOf(config)) secrets.add(secret)
      if (secrets.size > before) redact = createRedact(secrets)
    },
  }
}
