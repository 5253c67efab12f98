/** Tests that wait for real processes, terminals and long searches: a minute each on a busy machine, where most take half a second. */
const slow = [
  /\/soak\//,
  /\/(?:schedule|config)\/[^/]*\.prop\.test\./,
  /\/e2e\//,
  /\/embedded\//,
  /\/tmux\//,
  /\/agent\/test\/fake\//,
  /\/(?:hostile|exactness)\//,
]

/** The slow ones first, kind by kind: what begins last must not be what takes longest. */
export function slowFirst(files) {
  return files.toSorted((one, other) => rank(one) - rank(other))
}

/** True for one of those kinds. */
export function isSlow(file) {
  return rank(file) < slow.length
}

function rank({ source }) {
  const at = slow.findIndex((kind) => kind.test(source))
  return at < 0 ? slow.length : at
}
