// The yardstick: one host, one model at a time, strictly in order of arrival. Whoever is first decides what runs, and
// nobody passes it by, not even for a model that is loaded.

/** As much of a scheduler as a simulation needs. */
export function arrivalOrder() {
  const line = []
  let host
  let resident
  let loading = false
  let running = 0
  let generation = 0

  const proceed = () => {
    const commands = []
    while (line.length > 0 && !loading) {
      const { id, model } = line[0]
      if (model !== resident?.model) {
        if (running > 0) break
        const evict = resident === undefined ? [] : [resident.model]
        generation += 1
        loading = true
        resident = { model, epoch: undefined, slots: 0 }
        commands.push({ type: 'start-swap', swap: { generation, model, host, evict } })
      } else {
        if (running === resident.slots) break
        line.shift()
        running += 1
        commands.push({ type: 'grant', request: id, placement: { model, host }, epoch: resident.epoch })
      }
    }
    return commands
  }

  return {
    onFleetChange: ({ observation }) => {
      host ??= observation.host
      return proceed()
    },
    onRequest: ({ request }) => {
      line.push(request)
      return proceed()
    },
    onSwapDone: ({ result }) => {
      loading = false
      resident = { ...resident, epoch: result.epoch, slots: result.slots }
      return proceed()
    },
    onServeDone: () => {
      running -= 1
      return proceed()
    },
    onStopDone: () => [],
    onTick: () => [],
    nextTick: () => undefined,
    stats: () => ({ agingReorders: 0, affinityReorders: 0 }),
  }
}
