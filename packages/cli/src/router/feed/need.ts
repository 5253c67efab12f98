import type { ModelNeed } from '@lswap/core/protocol'
import type { ModelSize } from '@lswap/core'

/** What a model needs, as people see it. */
export const needOf = ({ bytes, source }: ModelSize): ModelNeed => {
  if (typeof bytes === 'number') return { bytes, devices: null, source }
  const devices = [...bytes].filter(([, part]) => part > 0)
  return { bytes: devices.reduce((sum, [, part]) => sum + part, 0), devices: Object.fromEntries(devices), source }
}
