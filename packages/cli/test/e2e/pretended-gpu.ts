import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { scratch } from '@lswap/core/test-support'
import type { Test } from 'tap'
import { FAKE_ENGINE } from './programs.ts'

const LEDGER = join(dirname(FAKE_ENGINE), 'ledger.js')

export interface PretendedGpu {
  /** Switches for an engine that takes so much of it. */
  readonly takes: (gib: number) => string
  /** Makes `nvidia-smi` tell of it. */
  readonly env: Readonly<Record<string, string>>
  readonly file: string
}

/** A GPU of so many GiB that simulated engines share, and a stand-in for `nvidia-smi` that tells of it. */
export const pretendedGpu = async (t: Test, gib: number): Promise<PretendedGpu> => {
  const folder = scratch(t, {})
  const file = join(folder, 'gpu.json')
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await writeFile(file, JSON.stringify({ totalMb: gib * 1_024, holders: [] }))
  const tool = join(bin, 'nvidia-smi')
  await writeFile(
    tool,
    `#!${process.execPath}
import { readFileSync } from 'node:fs'
import { readLedger } from ${JSON.stringify(pathToFileURL(LEDGER).href)}
const file = ${JSON.stringify(file)}
const asked = process.argv.slice(2).join(' ')
const tell = () => {
  const { totalMb, usedMb } = readLedger(file)
  console.log(\`0, GPU-x, \${totalMb}, \${usedMb}, 42, 61, 250.5, Pretended\`)
}
if (asked.includes('compute-apps')) {
  for (const { pid, mb } of JSON.parse(readFileSync(file, 'utf8')).holders) console.log(\`GPU-x, \${pid}, \${mb}\`)
} else {
  tell()
  if (asked.includes('loop')) setInterval(tell, 100)
}
`,
  )
  await chmod(tool, 0o755)
  // Without an extension a script is a module only where its package says so
  await writeFile(join(bin, 'package.json'), '{"type":"module"}')
  return {
    file,
    takes: (size) => `--gpu-file "${file}" --vram-mb ${size * 1_024}`,
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` },
  }
}
