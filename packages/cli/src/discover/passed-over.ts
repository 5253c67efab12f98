/** What was met in a folder of models and is not served, though somebody may have meant it to be. */
export interface PassedOver {
  readonly path: string
  /** The end of a sentence: `it is empty`. */
  readonly why: string
}
