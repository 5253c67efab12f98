import type { Agent, LogFollowing } from '@lswap/agent'
import type { Config, ModelId } from '@lswap/core'
import type { Output } from '../../io.ts'
import { sentLines } from '../../router/logs/asked.ts'
import { createLogSink } from './log-sink.ts'

/** What engines print, on stdout, for who asks for it by `logToStdout`. */
export interface EngineOutput {
  /** Takes over what a configuration says. */
  show(config: Config, agent: Pick<Agent, 'followLogs'>): void
  /** Resolves when everything is written, or when nobody reads it any more. */
  end(): Promise<void>
}

export interface EngineOutputOptions {
  readonly output: Output
  /** One JSON object a line, as `lswap logs --json` has them. */
  readonly isJson: boolean
  readonly onLoss: (lines: number) => void
}

export const createEngineOutput = ({ output, isJson, onLoss }: EngineOutputOptions): EngineOutput => {
  const sink = createLogSink({ output, onLoss })
  const followed = new Map<ModelId, LogFollowing>()

  const show = (model: ModelId, text: string): void => {
    for (const line of text.split('\n').slice(0, -1)) {
      sink.write(sentLines(model, [line], { isJson, isNamed: true }))
    }
  }
  return {
    show: (config, agent) => {
      const { logTo, models } = config
      const wanted = new Set(logTo === 'both' || logTo === 'upstream' ? models.map(({ id }) => id) : [])
      for (const [model, following] of followed) {
        if (wanted.has(model)) continue
        following.stop()
        followed.delete(model)
      }
      for (const model of wanted) {
        if (followed.has(model)) continue
        followed.set(model, agent.followLogs(model, { tail: 0, onText: (text) => show(model, text) }))
      }
    },
    end: async () => {
      // What engines said at their end is told in the next turn
      await new Promise((resolve) => setImmediate(resolve))
      for (const following of followed.values()) following.stop()
      await sink.end()
    },
  }
}
