import type { HostId, ModelId } from '../ids.ts'
import { exclusive } from './exclusive.ts'
import { group, type Group } from './group.ts'
import { matrix, type MatrixOptions } from './matrix/matrix.ts'
import { memory } from './memory/memory.ts'
import type { DeviceBytes, MemoryFacts, ModelSize } from './memory/sizes.ts'
import type { Swapper } from './swapper.ts'

/** The eviction policies that exist, as `routing.router.use` names them. */
export type SwapperName = 'exclusive' | 'group' | 'matrix' | 'memory'

/** What any of the swappers is built from. */
export interface SwapperParts {
  readonly swapper: SwapperName
  readonly groups: readonly Group[]
  readonly matrix: MatrixOptions
  /** Sizes that are declared. */
  readonly models: readonly { readonly id: ModelId; readonly memory: number | DeviceBytes | undefined }[]
  /** Declared devices of each host. */
  readonly devices: ReadonlyMap<HostId, DeviceBytes>
}

/** The swapper of that name. */
export const swapperOf = (parts: SwapperParts): Swapper => {
  switch (parts.swapper) {
    case 'exclusive':
      return exclusive
    case 'group':
      return group(parts.groups)
    case 'matrix':
      return matrix(parts.matrix)
    case 'memory':
      return memory(declaredFacts(parts))
    default:
      return parts.swapper satisfies never
  }
}

const NO_DEVICES: DeviceBytes = new Map()

const declaredFacts = ({ models, devices }: Pick<SwapperParts, 'models' | 'devices'>): MemoryFacts => {
  const sizes = new Map<ModelId, ModelSize>()
  for (const { id, memory: bytes } of models) if (bytes !== undefined) sizes.set(id, { bytes, source: 'declared' })
  return {
    sizeOf: (model) => sizes.get(model),
    budgetOf: (host) => devices.get(host) ?? NO_DEVICES,
  }
}
