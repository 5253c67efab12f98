import { swapperOf, type SwapperParts } from '../evict/choose.ts'
import type { DeviceBytes } from '../evict/memory/sizes.ts'
import { hostId, LOCAL_HOST } from '../ids.ts'
import type { HostId } from '../ids.ts'
import type { ModelConfig } from './model-config.ts'
import type { Report } from './issue.ts'
import type { RawConfig } from './schema.ts'
import type { RawModel } from './schema-model.ts'
import { parseSize } from './sizes.ts'
import { entriesOf, keyPlaceOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

type Sizes = Readonly<Record<string, string | number | undefined>>

const bytesOf = (sizes: Sizes): DeviceBytes => {
  const bytes = new Map<string, number>()
  for (const [device, size] of Object.entries(sizes)) bytes.set(device, parseSize(size ?? '') ?? 0)
  return bytes
}

/** What a model is declared to need. */
export const readMemory = (given: RawModel['memory']): ModelConfig['memory'] => {
  if (given === undefined) return undefined
  return typeof given === 'object' ? bytesOf(given) : parseSize(given)
}

/** Devices by host: an entry that is a size is a device of the local host, one that is a map holds those of a host. */
export const readDevices = (
  given: RawConfig['devices'],
  { root, report, hosts }: { root: Tree; report: Report; hosts: readonly HostId[] },
): ReadonlyMap<HostId, DeviceBytes> => {
  const devices = new Map<HostId, Map<string, number>>()
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === undefined) continue
    const host = typeof value === 'object' ? hostId(name) : LOCAL_HOST
    const own = devices.get(host) ?? new Map<string, number>()
    for (const [device, bytes] of bytesOf(typeof value === 'object' ? value : { [name]: value })) {
      const path = typeof value === 'object' ? ['devices', name, device] : ['devices', name]
      if (own.has(device)) {
        const message = `the device ${JSON.stringify(device)} of the host ${host} is declared already`
        report.error({ at: keyPlaceOf(root, path), path, message })
      }
      own.set(device, bytes)
    }
    devices.set(host, own)
    if (typeof value === 'object' && !hosts.includes(host)) {
      const message = `no effect: there is no host ${JSON.stringify(name)}`
      report.warning({
        at: keyPlaceOf(root, ['devices', name]),
        path: ['devices', name],
        message,
        meant: { given: name, valid: hosts },
      })
    }
  }
  return devices
}

/** Holds the models' sizes against the devices that are declared; those that are not, their agents find themselves. */
export const checkMemory = (
  parts: SwapperParts & { readonly models: readonly ModelConfig[] },
  { root, report }: { root: Tree; report: Report },
): void => {
  const declared = parts.devices.get(LOCAL_HOST)
  for (const { id, memory, hosts } of parts.models) {
    const path = ['models', id, 'memory']
    if (declared !== undefined && typeof memory === 'object' && hosts.every((host) => host === LOCAL_HOST)) {
      for (const device of memory.keys()) {
        if (declared.has(device)) continue
        const message = `no device of this name is declared; there are ${[...declared.keys()].join(', ')}`
        const place = [...path, device]
        report.error({
          at: keyPlaceOf(root, place),
          path: place,
          message,
          meant: { given: device, valid: declared.keys() },
        })
      }
    }
  }
  if (parts.swapper === 'memory') checkFit(parts, { root, report })
  else warnOfNoEffect(parts, { root, report })
}

const checkFit = (
  parts: SwapperParts & { readonly models: readonly ModelConfig[] },
  { root, report }: { root: Tree; report: Report },
): void => {
  const swapper = swapperOf(parts)
  for (const { id, memory, hosts } of parts.models) {
    // Only what is declared is known here
    if (memory === undefined || !hosts.every((host) => parts.devices.has(host))) continue
    const plans = hosts.map((host) => swapper.plan({ now: 0, target: id, host, residents: [], memory: undefined }))
    const [first] = plans
    if (first === undefined || !plans.every(({ type }) => type === 'impossible')) continue
    const path = ['models', id, 'memory']
    report.warning({ at: keyPlaceOf(root, path), path, message: `it can never be loaded: ${first.reason}` })
  }
}

const warnOfNoEffect = (
  { swapper, models }: SwapperParts & { readonly models: readonly ModelConfig[] },
  { root, report }: { root: Tree; report: Report },
): void => {
  const paths = models.filter(({ memory }) => memory !== undefined).map(({ id }) => ['models', id, 'memory'])
  if (entriesOf(treeAt(root, ['devices'])).size > 0) paths.push(['devices'])
  for (const path of paths) {
    const message = `no effect: not memory decides what must go, but ${swapper} (routing.router.use: memory does)`
    report.warning({ at: keyPlaceOf(root, path), path, message })
  }
}
