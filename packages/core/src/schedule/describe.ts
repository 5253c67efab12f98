import type { Config } from '../config/config.ts'

const RULES: Readonly<Record<Config['swapper'], string>> = {
  exclusive: 'one model at a time',
  group: 'groups decide what must go',
  matrix: 'the matrix decides what must go',
  memory: 'what fits into memory stays',
}

/** What decides, in one sentence for people: `serial decides the order; one model at a time (…); tree picks the replica`. */
export const describeDecisions = ({ policy, swapper, swapperReason, picker }: Config): string => {
  const profile = picker.use !== 'least-loaded' ? ` (${picker.profile})` : ''
  return `${policy.use} decides the order; ${RULES[swapper]} (${swapperReason}); ${picker.use} picks the replica${profile}`
}
