import type { Config } from '@lswap/core'

/** What must not stand in a line that anybody reads. */
export const secretsOf = ({ access, agents, models, peers }: Config): readonly string[] => [
  ...access.keys.map(({ secret }) => secret),
  ...agents.map(({ token }) => token),
  ...[...models, ...peers].flatMap(({ apiKey }) => apiKey ?? []),
]
