/** Why a file could not be read, for the end of a sentence; what is not in here keeps the system's code. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'it does not exist'],
  ['EACCES', 'you may not read it (EACCES)'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of its path is not a folder'],
  ['ELOOP', 'its links go in a circle'],
])

/** What the file system's error says, in words. */
export const fileReason = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return REASONS.get(code ?? '') ?? code ?? message
}
