import type { ConfigText } from './locate-config.ts'

/** How the simulated models differ: the one is small and fast, the other large and slow. */
const MODELS = [
  { id: 'demo-a', description: 'Simulated: loads in half a second', flags: '--load-ms 500 --tokens 60 --tps 60' },
  { id: 'demo-b', description: 'Simulated: loads in two seconds', flags: '--load-ms 2000 --tokens 60 --tps 20' },
]

/** Two simulated models of which one fits at a time, as a configuration like any other. */
export const demoConfig = (enginePath: string): ConfigText => {
  const engine = `${quote(process.execPath)} ${quote(enginePath)}`
  const models = MODELS.map(
    ({ id, description, flags }) => `  ${id}:
    description: ${JSON.stringify(description)}
    cmd: ${JSON.stringify(`${engine} --port \${PORT} --alias ${id} --embeddings --pooling mean ${flags}`)}
`,
  )
  const text = `models:\n${models.join('')}routing:\n  router:\n    use: exclusive\n`
  return { name: '(demo)', files: [{ file: '(demo)', text }] }
}

/** One word of a command line, whatever the path holds. */
const quote = (path: string): string => `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`

export const DEMO_NOTICE =
  'THIS IS A SIMULATION: demo-a and demo-b are no language models, and what they answer is made up. Real models: lswap serve --config FILE'
