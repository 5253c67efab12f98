/** Everything that traces must reach happens in more than this share of them: the rarest, backfill, in 15 to 16 %. */
const SHARE = 0.14

/** How often a count may fall short by chance. */
const FALSE_ALARM = 1e-9

/** In how many of so many traces a thing must have happened: fewer are no chance, but a generator that lost its reach. */
export const fewestOf = (traces: number): number => {
  let logOfExactly = traces * Math.log(1 - SHARE)
  let ofFewer = 0
  for (let count = 0; ; count += 1) {
    ofFewer += Math.exp(logOfExactly)
    if (count === traces || ofFewer >= FALSE_ALARM) return count
    logOfExactly += Math.log(((traces - count) / (count + 1)) * (SHARE / (1 - SHARE)))
  }
}
