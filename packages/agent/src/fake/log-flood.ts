/** Writes lines at a steady rate to standard error. Pipes are written synchronously: a reader that stops stops this process. */
export function startLogFlood(linesPerSecond: number, bytesPerLine: number): void {
  const begun = performance.now()
  let written = 0
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - begun) * linesPerSecond) / 1000)
    const lines: string[] = []
    for (; written < due; written += 1) lines.push(`log ${written} `.padEnd(bytesPerLine - 1, '.'))
    if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`)
  }, 5)
  timer.unref()
}
