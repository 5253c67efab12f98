let second = 0
let line = ''

/** The header that tells when an answer was given; made once a second: each takes half a microsecond. */
export const dateLine = (): string => {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    line = `Date: ${new Date(now * 1000).toUTCString()}\r\n`
  }
  return line
}
