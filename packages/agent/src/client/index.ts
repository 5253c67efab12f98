export { createRemoteAgent, type RemoteAgent } from './remote-agent.ts'
