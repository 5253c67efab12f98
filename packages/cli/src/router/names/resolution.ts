import type { Failure, ModelConfig } from '@lswap/core'
import type { Rights } from '../access/rights.ts'
import type { Peer } from '../peers/peer.ts'

/** What a name in a request stands for. */
export type Resolution =
  | {
      readonly type: 'model'
      readonly model: ModelConfig
      /** The name that counts for its filters, and that its engine is told: another than the client's behind a selector. */
      readonly calledAs: string
    }
  | {
      readonly type: 'peer'
      readonly peer: Peer
      /** As the peer calls it. */
      readonly model: string
      /** As it is called here: `<peer>/<model>`. */
      readonly name: string
    }
  | { readonly type: 'failed'; readonly failure: Failure }

/** Who asks, as far as it matters for what a name stands for. */
export interface Asker {
  readonly rights: Rights
  /** Hears the end of the request, however it comes. */
  whenOver(listener: () => void): void
}
