import tap, { type Test as Tap } from 'tap'
import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Agent, Forwarding, ForwardHandler, ForwardRequest } from '@lswap/agent'
import { tlsIdentity } from '../../../fixtures.ts'
import type { RouterLimits } from '../../../../src/router/limits.ts'
import { model } from '../../support/config.ts'
import { startRig, type Rig, type RigOptions } from '../../support/rig.ts'
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
  /** A request of its own through the router: its event loop has gone round. */
  goRound(): Promise<void>
}

export interface WaysOptions {
  readonly limits?: Partial<RouterLimits>
  /** How clients reach the router; the engine is always plain. */
  readonly client?: Client
  /** More of the router. */
  readonly rig?: RigOptions
}

/** `node:http`: with an empty line before its first request, which is to be ignored and makes the connection one that node:http reads. */
export type Client = 'plain' | 'node:http' | 'TLS'
export const CLIENTS: readonly Client[] = ['plain', 'node:http', 'TLS']

const identity = tlsIdentity()
/** Ports that want TLS. */
const secured = new Set<number>()
/** Ports whose clients send an empty line first. */
const prefixed = new Set<number>()

/** The same with plain clients, with clients that node:http reads, and over HTTPS. */
export const each = (name: string, play: (t: Tap, how: Client) => Promise<void>): void => {
  for (const client of CLIENTS) void tap.test(`${name} (${client})`, (test) => play(test, client))
}

/** A router with the real forwarder in front of a raw engine; model `a` is loaded. */
export const startWays = async (
  t: Test,
  { limits = {}, client = 'plain', rig: more = {} }: WaysOptions = {},
): Promise<Ways> => {
  const engine = await startEngine(t)
  const forward = await forwardTo(t, engine.port)
  const rig = await startRig(t, {
    models: [model('a')],
    limits,
    ...more,
    ...(client === 'TLS' && { tls: identity }),
    agent: (fake) => ({ ...fake, forward }),
  })
  if (client === 'TLS') secured.add(rig.port)
  else secured.delete(rig.port)
  if (client === 'node:http') prefixed.add(rig.port)
  else prefixed.delete(rig.port)
  const loaded = await once200(rig.port, 'POST /api/models/load/a')
  if (!loaded) throw new Error('the model can not be loaded')
  return {
    engine,
    ports: { direct: engine.port, routed: rig.port },
    rig,
    goRound: async () => void (await once200(rig.port, 'GET /health')),
  }
}

/** Whether a request of its own connection gets 200. */
const once200 = async (port: number, request: string): Promise<boolean> => {
  const wire = await dial(port)
  await wire.send(`${request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  await wire.ended()
  return wire.bytes().toString('latin1').startsWith('HTTP/1.1 200 ')
}

export const dial = async (port: number): Promise<Wire> => {
  const host = '127.0.0.1'
  const plain = connect({ port, host, noDelay: true })
  await once(plain, 'connect')
  if (prefixed.has(port)) plain.write('\r\n')
  if (!secured.has(port)) return createWire(plain)
  const socket = connectTls({ socket: plain, host, ca: identity.cert })
  await once(socket, 'secureConnect')
  return createWire(socket, undefined, plain)
}
