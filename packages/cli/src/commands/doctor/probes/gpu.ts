import { readdir } from 'node:fs/promises'
import { bytes } from '../../../print/units.ts'
import { good, problem, warning, type Finding } from '../finding.ts'
import type { Probe, RunTool } from '../probe.ts'

export interface GpuOptions {
  readonly runTool: RunTool
  readonly platform: NodeJS.Platform
  /** Names of what the system has as devices. */
  readonly devices?: () => Promise<readonly string[]>
}

const CHECK = 'gpu'
const MIB = 1024 * 1024
/** Others may draw a desktop; beyond that a model may not fit any more. */
const STRANGER_SHARE = 0.1

export const gpuProbe = ({ runTool, platform, devices = listDevices }: GpuOptions): Probe => ({
  check: CHECK,
  look: async () => {
    if (platform === 'darwin') return [good(CHECK, 'Apple: GPU and programs share the memory of the machine')]
    const answer = await runTool('nvidia-smi', [
      '--query-gpu=name,memory.total,memory.used',
      '--format=csv,noheader,nounits',
    ])
    if (answer.ok) return [...cards(answer.text), ...(await strangers(runTool))]
    const names = await devices()
    if (names.some((name) => /^nvidia\d/.test(name))) return [toolMissing(answer.reason)]
    if (names.includes('kfd')) return amd(runTool)
    return [
      warning(CHECK, {
        what: 'none was found',
        why: 'models run on the processor, many times slower',
        advice: 'install the driver of the card; without a card choose small models',
      }),
    ]
  },
})

const listDevices = (): Promise<readonly string[]> => readdir('/dev').catch(() => [])

const toolMissing = (reason: string): Finding =>
  problem(CHECK, {
    what: `there is an NVIDIA card, and nvidia-smi does not answer: ${reason}`,
    why: 'memory of the card can not be seen, and engines probably do not reach it either',
    advice: 'reinstall the driver so that kernel module and tools have the same version, and reboot',
  })

const cards = (text: string): readonly Finding[] =>
  rows(text).map(([name = '?', total, used], at) => {
    const what = `${at}: ${name}, ${size(used)} of ${size(total)} in use`
    const isFull = Number(used) > Number(total) * (1 - STRANGER_SHARE)
    if (!isFull) return good(CHECK, what)
    const why = 'a model that is loaded now finds no room there'
    return warning(CHECK, { what, why, advice: 'look who uses it: `lswap ps`, `nvidia-smi`' })
  })

/** Programs that are not engines of llama.cpp and hold much of a card. */
const strangers = async (runTool: RunTool): Promise<readonly Finding[]> => {
  const query = ['--query-compute-apps=pid,process_name,used_memory', '--format=csv,noheader,nounits']
  const answer = await runTool('nvidia-smi', query)
  if (!answer.ok) return []
  const others = rows(answer.text).filter(([, name = '', used]) => !/llama/i.test(name) && Number(used) > 512)
  return others.map(([pid, name, used]) =>
    warning(CHECK, {
      what: `pid ${pid ?? '?'} (${name ?? '?'}) holds ${size(used)}`,
      why: 'lswap can not make it go, so models have that much less',
      advice: 'end it, or count it off with devices and sizes in the configuration',
    }),
  )
}

const amd = async (runTool: RunTool): Promise<readonly Finding[]> => {
  const answer = await runTool('rocm-smi', ['--showmeminfo', 'vram'])
  if (answer.ok) return [good(CHECK, 'AMD: rocm-smi answers')]
  return [
    warning(CHECK, {
      what: `there is an AMD card, and rocm-smi does not answer: ${answer.reason}`,
      why: 'an engine built for ROCm may not reach it; one built for Vulkan does without',
      advice: 'install ROCm, or use a build for Vulkan',
    }),
  ]
}

const rows = (text: string): readonly (readonly string[])[] =>
  text
    .trim()
    .split('\n')
    .filter((line) => line.includes(','))
    .map((line) => line.split(',').map((cell) => cell.trim()))

const size = (mebibytes: string | undefined): string => bytes(Number(mebibytes ?? 0) * MIB)
