import { fileURLToPath } from 'node:url'

/** An engine to hold against the facts: the simulated one, and the real one where there is one. */
export interface EngineUnderTest {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  /** Options of a tap test; `skip` has the reason. */
  readonly options: { readonly skip?: string }
}

export const FAKE_ENTRY = fileURLToPath(new URL('../../../src/fake/main.js', import.meta.url))

export const FAKE: EngineUnderTest = {
  name: 'the simulated engine',
  program: process.execPath,
  // Like the generated models it speaks until it has said `max_tokens`.
  args: [FAKE_ENTRY, '-m', 'model.gguf', '--tokens', '1000000'],
  options: {},
}

export const ENGINES: readonly EngineUnderTest[] = [FAKE, realEngine()]

function realEngine(): EngineUnderTest {
  const { LSWAP_TEST_LLAMA_SERVER: program, LSWAP_TEST_GGUF_A: model, LSWAP_TEST_SKIP_REASON: reason } = process.env
  const name = 'a real llama-server'
  if (program === undefined || model === undefined) {
    const skip = reason ?? 'LSWAP_TEST_LLAMA_SERVER and LSWAP_TEST_GGUF_A are not set'
    return { name, program: '', args: [], options: { skip } }
  }
  // Shifting its context it goes on for as long as it may, and one thread leaves the other core to the tests.
  return { name, program, args: ['-m', model, '--context-shift', '--no-warmup', '-t', '1'], options: {} }
}
