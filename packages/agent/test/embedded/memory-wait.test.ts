import { join } from 'node:path'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import type { Test } from 'tap'
import type { Devices } from '../../src/devices/devices.ts'
import { createLedger, readLedger, takeMemory } from '../../src/fake/ledger.ts'
import { fakeCommand, model } from '../process/support/models.ts'
import { agentOf } from './support/agents.ts'

// Real processes take their time on a busy machine.
t.setTimeout(240_000)

const GIB = 2 ** 30

/** A pretended GPU of 24 GiB that engines take memory of, and what reads it. */
const gpuOf = (t: Test) => {
  const dir = scratch(t)
  const file = join(dir, 'gpu')
  createLedger(file, 24 * 1_024)
  let looks = 0
  const read = async () => {
    looks += 1
    const { totalMb, usedMb } = readLedger(file)
    const nothing = { label: null, use: null, temperatureC: null, powerWatts: null, sampledAt: Date.now() }
    const device = {
      name: 'gpu0',
      source: 'nvidia',
      totalBytes: (totalMb / 1_024) * GIB,
      usedBytes: (usedMb / 1_024) * GIB,
      ...nothing,
    }
    return { memory: undefined, devices: [device] }
  }
  const sensors: Devices = {
    known: read,
    look: read,
    expectLook: () => () => {},
    processes: async () => [],
    settled: Promise.resolve(),
    declare: () => {},
    close: () => {},
  }
  const engine = (gib: number, releaseMs: number) =>
    fakeCommand(`--gpu-file ${file} --vram-mb ${gib * 1_024} --release-ms ${releaseMs}`)
  return { file, rig: { sensors, stateDir: join(dir, 'state') }, engine, looks: () => looks }
}

t.test('the next engine starts when the memory of the last one has really come back', async (t) => {
  const { rig, engine } = gpuOf(t)
  const old = model('old', { cmd: engine(20, 1_500), memory: 20 * GIB })
  const next = model('next', { cmd: engine(20, 0), memory: 20 * GIB })
  const { agent, order } = await agentOf(t, [old, next], rig)
  await agent.swap(order(old))
  const steps: string[] = []
  const result = await agent.swap(order(next, [old]), ({ type }) => steps.push(type))
  t.match(result, { outcome: 'ready' })
  t.ok(result.timings.memoryMs > 0, `waited ${result.timings.memoryMs} ms`)
  t.same(steps.slice(0, 3), ['stopping', 'waiting-memory', 'spawned'])
})

t.test('room for the next one beside the old one costs no wait', async (t) => {
  const { rig, engine } = gpuOf(t)
  const old = model('old', { cmd: engine(10, 60_000), memory: 10 * GIB })
  const next = model('next', { cmd: engine(10, 0), memory: 10 * GIB })
  const { agent, order } = await agentOf(t, [old, next], rig)
  await agent.swap(order(old))
  const result = await agent.swap(order(next, [old]))
  t.match(result, { outcome: 'ready' })
  t.ok(result.timings.memoryMs < 30_000, `waited ${result.timings.memoryMs} ms`)
})

t.test('memory that a stranger keeps is not waited for: the engine itself says that it lacks it', async (t) => {
  const { file, rig, engine } = gpuOf(t)
  const old = model('old', { cmd: engine(4, 0), memory: 4 * GIB })
  const next = model('next', { cmd: engine(20, 0), memory: 20 * GIB })
  const { agent, order } = await agentOf(t, [old, next], rig)
  await agent.swap(order(old))
  takeMemory(file, { pid: process.pid, mb: 12 * 1_024, releaseMs: 0 })
  const result = await agent.swap(order(next, [old]))
  t.match(result, { outcome: 'failed', failure: { code: 'out_of_memory' } })
  t.ok(result.timings.memoryMs < 30_000, `waited ${result.timings.memoryMs} ms`)
})

t.test('where nothing ended lately nobody looks', async (t) => {
  const { rig, engine, looks } = gpuOf(t)
  const only = model('only', { cmd: engine(20, 0), memory: 20 * GIB })
  const { agent, order } = await agentOf(t, [only], rig)
  t.match(await agent.swap(order(only)), { outcome: 'ready' })
  t.equal(looks(), 0)
})
