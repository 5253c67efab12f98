import type { Failure, PeerConfig } from '@lswap/core'
import { createPeer, type Peer } from './peer.ts'

/** A model of a peer. */
export interface PeerModel {
  readonly peer: Peer
  /** As the peer calls it. */
  readonly model: string
  /** `<peer>/<model>`: what it is called here. */
  readonly name: string
}

export interface Peers {
  readonly models: readonly PeerModel[]
  /** By `<peer>/<model>`, or by the model's own name where no other peer has one of that name. */
  find(name: string): PeerModel | undefined
  close(failure: Failure): void
}

export const createPeers = (configs: readonly PeerConfig[]): Peers => {
  const peers = configs.map((config) => createPeer(config))
  const models = peers.flatMap((peer) =>
    peer.config.models.map((model): PeerModel => ({ peer, model, name: `${peer.config.id}/${model}` })),
  )
  const byName = new Map<string, PeerModel | undefined>()
  for (const one of models) byName.set(one.model, byName.has(one.model) ? undefined : one)
  for (const one of models) byName.set(one.name, one)
  return {
    models,
    find: (name) => byName.get(name),
    close: (failure) => {
      for (const peer of peers) peer.close(failure)
    },
  }
}
