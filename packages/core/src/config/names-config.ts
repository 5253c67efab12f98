/** A name that stands for one of several models, chosen for each request. */
export interface SelectorConfig {
  readonly id: string
  /** `pin`: the first · `warm`: the first that is loaded, else that loads, else the first · `spillover`: fills one after the other. */
  readonly strategy: 'pin' | 'warm' | 'spillover'
  /** Names as they are written, of models and aliases of this file and of models of peers. */
  readonly targets: readonly string[]
  /** Requests of one target at once before the next one is used. */
  readonly spillover: number
  readonly name: string | undefined
  readonly description: string | undefined
  readonly unlisted: boolean
  readonly metadata: Readonly<Record<string, unknown>> | undefined
}

/** What names mean while the profile is active. */
export interface ProfileConfig {
  readonly id: string
  readonly description: string | undefined
  /** `target` undefined: the name means nothing. */
  readonly pins: readonly { readonly name: string; readonly target: string | undefined }[]
}
