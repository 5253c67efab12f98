import { once } from 'node:events'
import { connect } from 'node:net'
import type { Agent, Forwarding, ForwardHandler, ForwardRequest } from '@lswap/agent'
import { model } from '../../support/config.ts'
import { startRig, type Rig } from '../../support/rig.ts'
import { startEngine, type Engine } from './engine.ts'
import { createWire, type Wire } from './wire.ts'

interface Test {
  teardown(end: () => void | Promise<void>): void
}

/** The part of the forwarder's module that is used here. */
interface UpstreamModule {
  createUpstream(options: { readonly host: string; readonly port: number }): {
    forward(request: ForwardRequest, handler: ForwardHandler): Forwarding
    close(failure: { readonly code: 'unloaded'; readonly message: string }): void
  }
}

// The agent's package does not export its forwarder, which nobody but the agent is to use
const upstreamModule = async (): Promise<UpstreamModule> =>
  (await import(new URL('forward/upstream.js', import.meta.resolve('@lswap/agent')).href)) as UpstreamModule

/** What an agent forwards with, always to this port. */
export const forwardTo = async (t: Test, port: number): Promise<Agent['forward']> => {
  const forwarder = await upstreamModule()
  const upstream = forwarder.createUpstream({ host: '127.0.0.1', port })
  t.teardown(() => upstream.close({ code: 'unloaded', message: 'The test is over.' }))
  return (_placement, _epoch, request, handler) => upstream.forward(request, handler)
}

/** An engine, and the two ways to it. */
export interface Ways {
  readonly engine: Engine
  readonly ports: { readonly direct: number; readonly routed: number }
  readonly rig: Rig
}

/** A router with the real forwarder in front of a raw engine; model `a` is loaded. */
export const startWays = async (t: Test): Promise<Ways> => {
  const engine = await startEngine(t)
  const forward = await forwardTo(t, engine.port)
  const rig = await startRig(t, { models: [model('a')], agent: (fake) => ({ ...fake, forward }) })
  const loaded = await fetch(`http://127.0.0.1:${rig.port}/api/models/load/a`, { method: 'POST' })
  if (!loaded.ok) throw new Error(`the model can not be loaded: ${await loaded.text()}`)
  return { engine, ports: { direct: engine.port, routed: rig.port }, rig }
}

export const dial = async (port: number): Promise<Wire> => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return createWire(socket)
}
