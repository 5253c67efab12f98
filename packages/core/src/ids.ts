// Branded ids: parsed once at the edge, then never mixed up with each other or with plain text.

/** The id of a config entry under `models`. */
export type ModelId = string & { readonly brand: 'ModelId' }
/** A machine that runs an agent; `local` is the one of the embedded agent. */
export type HostId = string & { readonly brand: 'HostId' }
/** A request's number, unique while the router lives. */
export type RequestId = number & { readonly brand: 'RequestId' }
/** Names one swap or stop for ever; both count in one sequence, so that later always means larger. */
export type Generation = number & { readonly brand: 'Generation' }
/** Which start of a process on its host; a report about an older start is stale. */
export type Epoch = number & { readonly brand: 'Epoch' }
/** Names one unload that somebody waits for. */
export type UnloadId = number & { readonly brand: 'UnloadId' }
/** Who asks: the name of an API key; everybody is one caller where there are no keys. */
export type CallerId = string & { readonly brand: 'CallerId' }
/** `host/model` as one string, the key of maps over placements. */
export type PlacementKey = string & { readonly brand: 'PlacementKey' }

/** A model on a host: the place where at most one process of it lives. */
export interface Placement {
  readonly model: ModelId
  readonly host: HostId
}

export const modelId = (text: string): ModelId => text as ModelId
export const hostId = (text: string): HostId => text as HostId
export const requestId = (number: number): RequestId => number as RequestId
export const generation = (number: number): Generation => number as Generation
export const epoch = (number: number): Epoch => number as Epoch
export const unloadId = (number: number): UnloadId => number as UnloadId
export const callerId = (text: string): CallerId => text as CallerId

/** The host comes first and is quoted by length, so that no two placements share a key whatever characters ids hold. */
export const placementKey = (placement: Placement): PlacementKey =>
  `${placement.host.length}:${placement.host}/${placement.model}` as PlacementKey

/** The host of the agent that runs inside `lswap serve`. */
export const LOCAL_HOST = hostId('local')
/** The caller of requests that carry no key. */
export const ANONYMOUS = callerId('anonymous')
