export type * from './agent.ts'
export type * from './forward/exchange.ts'
