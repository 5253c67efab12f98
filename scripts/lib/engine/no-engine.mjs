/** Why there is no engine: `unavailable` here at all, or `offline`, when only the package index is out of reach now. */
export class NoEngine extends Error {
  constructor(missing, reason, options) {
    super(reason, options)
    this.name = 'NoEngine'
    this.missing = missing
  }
}
