import type { Test } from 'tap'
import { A, hostDouble, remoteOf, serverOf, until, type HostDouble, type Watched } from './host.ts'

/** A remote agent that has reached its host, on which A is ready as this epoch if one is given. */
export const linked = async (t: Test, epochOfA?: number): Promise<Watched & { readonly double: HostDouble }> => {
  const double = await hostDouble(t)
  if (epochOfA !== undefined) double.ready(A, epochOfA)
  const { url } = await serverOf(t, double)
  const watched = remoteOf(t, url)
  await watched.remote.tried
  return { double, ...watched }
}

export const count = ({ events }: Watched, type: string): number => events.filter((event) => event.type === type).length

export const up = (watched: Watched, times = 1) =>
  until(`the host is there, ${times}`, () => count(watched, 'host-returned') >= times)

export const lost = (watched: Watched) => until('the host is lost', () => count(watched, 'host-lost') > 0)
