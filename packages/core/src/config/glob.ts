/** Whether a name matches a pattern in which `*` stands for any text and `?` for one character; everything else is meant literally. */
export const matchesGlob = (pattern: string, name: string): boolean => {
  let at = 0
  let from = 0
  // Where the last `*` stands, and how much of the name it has taken: going back only there keeps this quadratic at worst
  let star = -1
  let taken = 0
  while (at < name.length) {
    if (pattern[from] === '*') {
      star = from
      taken = at
      from += 1
    } else if (from < pattern.length && (pattern[from] === '?' || pattern[from] === name[at])) {
      from += 1
      at += 1
    } else if (star === -1) {
      return false
    } else {
      from = star + 1
      taken += 1
      at = taken
    }
  }
  return /^\**$/.test(pattern.slice(from))
}
