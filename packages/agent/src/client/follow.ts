import type { ModelId } from '@lswap/core'
import type { ForwardTimers } from '../forward/timers.ts'
import type { FollowOptions, LogFollowing } from '../logs/follow-log.ts'
import type { Rpc } from './rpc.ts'

const AGAIN_MS = 1_000

/** Follows a log on another machine; goes on with what comes when its agent is back. */
export const followRemote = (
  { rpc, timers }: { readonly rpc: Rpc; readonly timers: ForwardTimers },
  model: ModelId,
  { tail, onText }: FollowOptions,
): LogFollowing => {
  const controller = new AbortController()
  const { signal } = controller
  let resumed: Promise<void> | undefined
  let resume: (() => void) | undefined

  const read = async (lines: number): Promise<void> => {
    const path = `/v1/logs/${encodeURIComponent(model)}?follow&tail=${lines}`
    let rest = ''
    for await (const part of rpc.stream({ method: 'GET', path, signal })) {
      // Unread bytes stay with the agent, whose ring drops the oldest lines
      await resumed
      if (signal.aborted) return
      const end = part.lastIndexOf('\n') + 1
      if (end > 0) onText(rest + part.slice(0, end))
      rest = end > 0 ? part.slice(end) : rest + part
    }
  }

  const run = async (): Promise<void> => {
    let lines = tail
    while (!signal.aborted) {
      await read(lines).catch(() => {})
      lines = 0
      if (!signal.aborted) await new Promise<void>((resolve) => void timers.after(AGAIN_MS, resolve))
    }
  }
  void run()

  return {
    pause: () => {
      resumed ??= new Promise((resolve) => {
        resume = resolve
      })
    },
    resume: () => {
      resumed = undefined
      resume?.()
    },
    stop: () => {
      controller.abort()
      resume?.()
    },
  }
}
