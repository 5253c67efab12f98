import type { RequestId } from '../../ids.ts'
import type { Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'
import { isOverdue } from './order.ts'

/** Place in the order of dispatch, 1 first. Reads all waiters: for people, not for decisions. */
export const positionOf = (turn: Turn, request: RequestId): number | undefined => {
  const waiter = turn.state.room.get(request)
  if (waiter === undefined) return undefined
  let ahead = 0
  for (const other of turn.state.room.waiters()) if (other !== waiter && goesBefore(turn, other, waiter)) ahead += 1
  return ahead + 1
}

const goesBefore = (turn: Turn, a: Waiter, b: Waiter): boolean => {
  const overdue = isOverdue(turn, a)
  if (overdue !== isOverdue(turn, b)) return overdue
  if (!overdue) {
    const byModel = priorityOf(turn, b) - priorityOf(turn, a)
    if (byModel !== 0) return byModel < 0
    if (a.rank !== b.rank) return a.rank > b.rank
  }
  return a.arrival < b.arrival
}

const priorityOf = (turn: Turn, waiter: Waiter): number => turn.rules.models.get(waiter.request.model)?.priority ?? 0
