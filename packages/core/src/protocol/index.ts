export type * from './feed/entities.ts'
export { feedEventSchema, type FeedEvent } from './feed/event.ts'
export { fold } from './feed/fold.ts'
export { changesOf } from './feed/changes.ts'
export { visibleState } from './feed/visible.ts'
export { agentMetricsSchema } from './metrics/metrics.ts'
export type { AgentMetrics } from './metrics/metrics.ts'
export { AGENT_HEADERS, AGENT_PROTOCOL, proxyPath, readProxyPath, type ProxyTarget } from './agent/wire.ts'
export { failureSchema } from './agent/failure.ts'
export { agentAboutSchema, type AgentAbout } from './agent/about.ts'
export { agentLookSchema, STOPPED_AS_ASKED, type AgentLook, type ProcessState } from './agent/look.ts'
export {
  abortOrderSchema,
  claimedSchema,
  claimOrderSchema,
  leaveOrderSchema,
  refusedSchema,
  stoppedSchema,
  stopOrderSchema,
  swapLineSchema,
  swapOrderSchema,
  type SwapLine,
} from './agent/orders.ts'
export { agentEventSchema, type AgentFeedEvent } from './agent/events.ts'
