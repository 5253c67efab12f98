#!/usr/bin/env node
import './heap/early.ts'
import { processIo } from './io.ts'
import { main } from './main.ts'

/** How long leftovers (a socket, a child's pipe) may keep the process alive once its work is done. */
const LINGER_MS = 2_000

process.exitCode = await main(process.argv.slice(2), processIo())
setTimeout(() => process.exit(), LINGER_MS).unref()
