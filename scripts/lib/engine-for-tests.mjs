import { realEngine } from './real-engine.mjs'
import { tinyLora, tinyModels } from './tiny-models.mjs'

/**
 * What tests of the real engine need, as environment variables: an engine and two models, or the reason to skip
 * with. A missing engine is a `fault` in CI, where nobody would notice that those tests had stopped running;
 * a package index that is out of reach is nobody's fault there either.
 */
export async function engineForTests(env = process.env) {
  const engine = env.LSWAP_TEST_LLAMA_SERVER ? { path: env.LSWAP_TEST_LLAMA_SERVER } : await realEngine()
  if (engine.path === undefined) {
    const reason = `no real llama-server: ${engine.reason}`
    const fault = env.CI && engine.missing === 'unavailable' ? reason : undefined
    return { env: { LSWAP_TEST_SKIP_REASON: reason }, fault }
  }
  const [[a, b], lora] = await Promise.all([tinyModels(), tinyLora()])
  return {
    env: {
      LSWAP_TEST_LLAMA_SERVER: engine.path,
      LSWAP_TEST_GGUF_A: env.LSWAP_TEST_GGUF_A ?? a,
      LSWAP_TEST_GGUF_B: env.LSWAP_TEST_GGUF_B ?? b,
      // Fits the made-up models alone
      ...(!env.LSWAP_TEST_GGUF_A && { LSWAP_TEST_LORA_A: lora }),
    },
    fault: undefined,
  }
}
