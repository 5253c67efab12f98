import t from 'tap'
import { createPromptCache } from '../../src/simulate/prompt-cache.ts'
import { chainOfPrompt, commonTokens, type Prompt } from '../../src/simulate/trace/prompt.ts'

const prompt = (conversation: number, tokens: number, system = 0): Prompt => ({
  system,
  systemTokens: 100,
  conversation,
  tokens,
})

/** How many blocks two prompts share. */
const shared = (one: Prompt, other: Prompt): number => {
  const [a, b] = [chainOfPrompt(one), chainOfPrompt(other)]
  const at = a.findIndex((block, place) => block !== b[place])
  return at === -1 ? a.length : at
}

t.test('a conversation finds all of itself with its answer, another one their system prompt', async (t) => {
  const cache = createPromptCache(10_000)
  const first = prompt(1, 300)
  t.equal(cache.read(first), 0)
  cache.write(first, 50)
  t.equal(cache.read(prompt(1, 400)), 350)
  t.equal(cache.read(prompt(2, 300)), 100)
  t.equal(cache.read(prompt(3, 300, 7)), 0)
})

t.test('the ones that were longest unused make room', async (t) => {
  const cache = createPromptCache(1_000)
  cache.read(prompt(1, 400))
  cache.read(prompt(2, 400, 1))
  cache.read(prompt(1, 450))
  cache.read(prompt(3, 400, 2))
  t.equal(cache.read(prompt(1, 460)), 450)
  t.equal(cache.read(prompt(2, 400, 1)), 0, 'it made room for the third')
})

t.test('what is longer than all the room is kept alone, and an answer grows what is there', async (t) => {
  const cache = createPromptCache(1_000)
  cache.read(prompt(1, 400))
  const long = prompt(2, 5_000, 1)
  cache.read(long)
  cache.write(long, 10)
  t.equal(cache.read(prompt(2, 6_000, 1)), 5_010)
  t.equal(cache.read(prompt(1, 400)), 0)
})

t.test('an answer to what had to go brings it not back', async (t) => {
  const cache = createPromptCache(500)
  const first = prompt(1, 400)
  cache.read(first)
  cache.read(prompt(2, 400, 1))
  cache.write(first, 10)
  t.equal(cache.read(prompt(1, 410)), 0)
})

t.test('the chain of a prompt tells what two have in common, to a block', async (t) => {
  const [one, same, other, stranger] = [prompt(1, 300), prompt(1, 500), prompt(2, 500), prompt(3, 500, 1)]
  t.equal(chainOfPrompt(one).length, 4, '1,200 bytes')
  t.equal(shared(one, same), 4)
  t.equal(commonTokens(one, same), 300)
  t.equal(shared(same, other), 1, '400 bytes of a system prompt')
  t.equal(commonTokens(same, other), 100)
  t.equal(shared(same, stranger), 0)
  t.equal(commonTokens(same, stranger), 0)
})
