export { createRemoteAgent, type RemoteAgent, type RemoteAgentOptions } from './remote-agent.ts'
