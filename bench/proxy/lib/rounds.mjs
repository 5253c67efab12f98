/** Measures each cell of each target once a round, the targets in a new order each time, so that the noise of the machine hits all alike. */
export async function measureRounds({ clients, targets, cells, rounds, say }) {
  const measured = cells.map(({ name, kind }) => ({ name, kind, rounds: [] }))
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, cell] of cells.entries()) {
      const seen = {}
      for (const target of inSomeOrder(targets)) seen[target.name] = await measureCell(clients, target, cell)
      measured[at].rounds.push(seen)
    }
    say(`round ${round + 1} of ${rounds}`)
  }
  return measured
}

/** Beyond that many answers the code of a Node process is compiled; so often is a cell repeated at most. */
const warmAfter = 10_000
const mostRepeats = 15

/** Code gets compiled and connections opened before anything counts. `brief`: once, whatever comes of it. */
export async function warmUp({ clients, targets, cells, brief }) {
  for (const target of targets) {
    for (const cell of cells) {
      let answers = 0
      for (let repeat = 0; cell.kind !== 'beside' && answers < warmAfter && repeat < mostRepeats; repeat += 1) {
        const { count, chunks } = await measureCell(clients, target, cell)
        answers += brief ? warmAfter : (count ?? chunks)
      }
    }
  }
}

async function measureCell(clients, target, cell) {
  const measured = await cell.measure(clients, target)
  if (measured.errors > 0) throw new Error(`${cell.name}: ${measured.errors} errors of ${target.name}`)
  return measured
}

const inSomeOrder = (list) =>
  list
    .map((entry) => ({ entry, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ entry }) => entry)
