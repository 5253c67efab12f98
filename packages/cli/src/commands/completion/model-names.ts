import { askModels } from '../../client/models.ts'
import { connect } from '../../client/router-client.ts'
import type { RouterFlags } from '../flags.ts'
import type { TaskContext } from '../invocation.ts'

/** Longer, and a person who pressed Tab wonders. */
const LIMIT_MS = 200

/** Ids and aliases, one a line; nothing when the router can not be asked, whatever the reason. */
export const modelNames = async (words: readonly string[], context: TaskContext): Promise<string> => {
  try {
    const router = await connect(flagsIn(words), context)
    const { models } = await askModels(router, LIMIT_MS)
    return [...new Set(models.flatMap(({ id, aliases }) => [id].concat(aliases)))].map((name) => `${name}\n`).join('')
  } catch {
    return ''
  }
}

/** Which router the line so far is about. */
const flagsIn = (words: readonly string[]): RouterFlags => {
  const valueOf = (flag: string): string | undefined => {
    const joined = words.find((word) => word.startsWith(`${flag}=`))
    if (joined !== undefined) return joined.slice(flag.length + 1)
    const at = words.indexOf(flag)
    return at === -1 ? undefined : words[at + 1]
  }
  const [url, keyFile, caFile] = ['--url', '--key-file', '--ca-file'].map(valueOf)
  return { ...(url && { url }), ...(keyFile && { keyFile }), ...(caFile && { caFile }) }
}
