export { createRemoteAgent, type RemoteAgent } from './remote-agent.ts'
export { createOperator, type Operator } from './operator.ts'
