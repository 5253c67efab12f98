export { createAgentServer } from './agent-server.ts'
export { ownToken, readToken } from '../state/token.ts'
export { openTermFile } from '../state/term-file.ts'
export { startIdleUnload } from './idle.ts'
