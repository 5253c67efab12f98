// Serial's promise, checked from outside: no request that arrives more than (Δpriority + swapCost) × agingSeconds after r
// is granted before r. One model at a time on one host, so every other model must stop for r's. A load's first waiters
// hold their model until they are granted, whoever comes meanwhile: grants that a load ends with overtake nobody.

/** The scheduler, with every arrival and grant noted. */
export function observed(scheduler) {
  const requests = new Map()
  let grants = 0
  const noted = (now, commands, leased = false) => {
    for (const { type, request } of commands) {
      if (type !== 'grant') continue
      grants += 1
      Object.assign(requests.get(request), { grantedAt: now, place: grants, leased })
    }
    return commands
  }
  return {
    requests,
    scheduler: {
      ...scheduler,
      onRequest: (event) => {
        const { id, priority } = event.request
        requests.set(id, { priority, arrivedAt: event.now })
        return noted(event.now, scheduler.onRequest(event))
      },
      onServeDone: (event) => noted(event.now, scheduler.onServeDone(event)),
      onSwapDone: (event) => noted(event.now, scheduler.onSwapDone(event), true),
      onStopDone: (event) => noted(event.now, scheduler.onStopDone(event)),
      onTick: (event) => noted(event.now, scheduler.onTick(event)),
    },
  }
}

/** By how many milliseconds the worst overtaker arrived too late to overtake; 0 or less: the bound held. */
export function excessMs(requests, { agingSeconds, loadMs }) {
  const cost = Math.min(Math.max(loadMs / 1_000 / agingSeconds, 1), 12)
  const all = [...requests.values()]
  let worst = -Infinity
  for (const r of all) {
    for (const s of all) {
      // A grant before r came is none before r
      if (s.leased || s.place >= r.place || s.grantedAt <= r.arrivedAt) continue
      const latest = r.arrivedAt + (s.priority - r.priority + cost) * agingSeconds * 1_000
      worst = Math.max(worst, s.arrivedAt - latest)
    }
  }
  return worst
}
