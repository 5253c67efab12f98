import type { Config } from '@lswap/core'

/** What must not stand in a line that anybody reads. */
export const secretsOf = ({ access, models, peers }: Config): readonly string[] => [
  ...access.keys.map(({ secret }) => secret),
  ...[...models, ...peers].flatMap(({ apiKey }) => apiKey ?? []),
]
