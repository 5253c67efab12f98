#!/usr/bin/env node
// lswap-fake-llama: answers like llama-server and fails on command. It makes every fault of an engine
// repeatable, on machines without a GPU and without a model.

import { existsSync } from 'node:fs'
import { forkGrandchild, runGrandchild, runWrapper } from './children.ts'
import type { Engine } from './engine.ts'
import { openJournal } from './journal.ts'
import { releaseMemory } from './ledger.ts'
import { load } from './load.ts'
import { startLogFlood } from './log-flood.ts'
import { type FakeOptions, type ParsedOptions, parseOptions } from './options.ts'
import { createFakeServer } from './server.ts'
import { createSlotCache } from './slot-cache.ts'
import { createSlots } from './slots.ts'
import { watchSignals, watchStdin } from './stop.ts'

const DEFAULT_PORT = 9931
const DEFAULT_SLOTS = 4
const DEFAULT_CONTEXT_TOKENS = 4096

function main(args: readonly string[]): void {
  const parsed = parse(args)
  if (!parsed) return
  const { options, ignored } = parsed
  if (options.role === 'grandchild') return runGrandchild(options.ignoreSigterm === true)
  if (options.wrapper === true) return runWrapper(args)
  if (options.forkChild === true) forkGrandchild(args)
  for (const name of ignored) log(`W ignored argument: ${name}`)
  start(options)
}

function parse(args: readonly string[]): ParsedOptions | undefined {
  try {
    return parseOptions(args)
  } catch (error) {
    log(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
    return undefined
  }
}

function start(options: FakeOptions): void {
  const folder = process.env['LLAMA_ARG_SLOT_SAVE_PATH']
  if (folder !== undefined && !existsSync(folder)) {
    log(`error while handling environment variable "LLAMA_ARG_SLOT_SAVE_PATH": not a directory: ${folder}`)
    process.exitCode = 1
    return
  }
  // The real engine outlives whoever read its output; only then can a test find an orphan.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
  const halt = new AbortController()
  const engine = createEngine(options, halt.signal)
  const server = createFakeServer(engine)
  const host = options.host ?? '127.0.0.1'
  const port = options.port ?? DEFAULT_PORT
  engine.journal({ event: 'start', pid: process.pid, port, model: engine.name })
  watchSignals({ engine, server, halt: () => halt.abort() })
  if (options.exitAtMs !== undefined) {
    setTimeout(() => engine.exit(options.exitCode ?? 0, '--exit-at-ms'), options.exitAtMs)
  }
  if (options.logRate !== undefined) startLogFlood(options.logRate, options.logBytes ?? 80)
  if (options.noListen === true) {
    load(engine, () => watchStdin(engine))
    // Nothing else keeps the process: no socket, perhaps no timer.
    setInterval(() => {}, 60_000)
    return
  }
  server.once('error', (error) => {
    log(`srv  llama_server: couldn't bind HTTP server socket, hostname: ${host}, port: ${port}: ${error.message}`)
    log('srv  llama_server: exiting due to HTTP server error')
    engine.exit(1, 'port taken')
  })
  server.listen(port, host, () => {
    load(engine, () => {
      log(`srv  llama_server: listening on http://${host}:${port}`)
      watchStdin(engine)
    })
  })
}

function createEngine(options: FakeOptions, halt: AbortSignal): Engine {
  const name = options.alias ?? options.model ?? 'unnamed'
  const journal = openJournal(options.journal, name)
  return {
    options,
    name,
    contextTokens: contextOfSlot(options),
    journal,
    log,
    slots: createSlots(options.parallel === undefined || options.parallel < 1 ? DEFAULT_SLOTS : options.parallel),
    cache: createSlotCache(),
    counters: { promptTokens: 0, promptMs: 0, predictedTokens: 0, predictedMs: 0, decodes: 0 },
    halt,
    ready: false,
    inFlight: 0,
    exit(code, reason) {
      if (options.gpuFile !== undefined) releaseMemory(options.gpuFile, process.pid)
      journal({ event: 'exit', code, reason })
      process.exit(code)
    },
  }
}

/** The slots divide the context, unless their number was left to the engine or they are told to share it. */
function contextOfSlot({ contextTokens = DEFAULT_CONTEXT_TOKENS, parallel, unifiedCache }: FakeOptions): number {
  const divided = parallel !== undefined && parallel > 1 && unifiedCache !== true
  return divided ? Math.floor(contextTokens / parallel) : contextTokens
}

function log(line: string): void {
  process.stderr.write(`${line}\n`)
}

main(process.argv.slice(2))
