import { critical } from './filter/critical.ts'
import { drop } from './filter/drop.ts'
import { hasCapacity } from './filter/has-capacity.ts'
import { leastKv } from './filter/least-kv.ts'
import { leastQueue } from './filter/least-queue.ts'
import { longestPrefix } from './filter/longest-prefix.ts'
import { loraAffinity } from './filter/lora-affinity.ts'
import { lowQueue } from './filter/low-queue.ts'
import type { FilterNode } from './node.ts'

// The tree of kubernetes-sigs/gateway-api-inference-extension at commit 83261103 (2025-03-26).

const byKv: FilterNode = { name: 'least-kv', filter: leastKv }

/** Short queues: the adapter comes first. */
const adapterFirst: FilterNode = {
  name: 'lora-affinity',
  filter: loraAffinity,
  onEither: { name: 'least-queue', filter: leastQueue, onEither: byKv },
}

/** Long queues, or a request that may be refused: the queue comes first. */
const queueFirst: FilterNode = {
  name: 'least-queue',
  filter: leastQueue,
  onEither: { name: 'lora-affinity', filter: loraAffinity, onEither: byKv },
}

/** Which replicas may serve a request: critical ones are never dropped, the others only go where there is capacity. */
export const FILTER_TREE: FilterNode = {
  name: 'critical',
  filter: critical,
  onSuccess: { name: 'low-queue', filter: lowQueue, onSuccess: adapterFirst, onFailure: queueFirst },
  onFailure: {
    name: 'has-capacity',
    filter: hasCapacity,
    onSuccess: queueFirst,
    onFailure: { name: 'drop', filter: drop },
  },
}

const HOLDER = { name: 'longest-prefix', filter: longestPrefix } as const

/** Who holds the prompt's prefix comes behind who has its adapter, without which no prefix of it is held. */
const holderBeforeQueue: FilterNode = {
  name: 'lora-affinity',
  filter: loraAffinity,
  onEither: { ...HOLDER, onEither: { name: 'least-queue', filter: leastQueue, onEither: byKv } },
}

const holderBeforeAll: FilterNode = { ...HOLDER, onEither: queueFirst }

/** The same, with the replica that holds the prompt's prefix kept before queues are compared: what gates, gates as before. */
export const PREFIX_TREE: FilterNode = {
  name: 'critical',
  filter: critical,
  onSuccess: { name: 'low-queue', filter: lowQueue, onSuccess: holderBeforeQueue, onFailure: holderBeforeAll },
  onFailure: {
    name: 'has-capacity',
    filter: hasCapacity,
    onSuccess: holderBeforeAll,
    onFailure: { name: 'drop', filter: drop },
  },
}
