import t from 'tap'
import { readConfig } from '../../src/config/read-config.ts'
import { createRedaction } from '../../src/redact/redaction.ts'
import { secretsOf } from '../../src/redact/secrets.ts'

const read = (text: string, env: Record<string, string> = {}) => {
  const reading = readConfig(text, { file: 'lswap.yaml', env })
  if (!reading.ok) throw new Error(JSON.stringify(reading.issues))
  return reading.config
}

t.test('a secret is a key, a token, a variable or an argument whose name says so, wherever it stands', async (t) => {
  const config = read(
    `
macros: { with: "--auth \${env.MY_PASSWORD}" }
apiKeys: [client-key, "\${env.APP_KEY}"]
peers: { far: { proxy: "http://far", apiKey: peer-key, models: [x] } }
models:
  a:
    cmd: |
      # --api-key in-a-comment
      llama-server --port \${PORT} --api-key one,two --hf-token=three --ssl-key-file /k.pem --max-tokens 100000
      --no-token --chat-template x \${with}
    cmdStop: stop --password four
    apiKey: engine-key
    env: [HF_TOKEN=five, CUDA_VISIBLE_DEVICES=0, TLS_KEY_FILE=/path]
    hooks: { before: [{ cmd: "fetch --token six" }], after: [{ cmd: "docker run -e DB_SECRET=seven= --env=X_KEY=eight" }] }
  b: { cmd: "llama-server --port \${PORT} -m \${env.MODELS}/b.gguf" }
`,
    { APP_KEY: 'app-key', MY_PASSWORD: 'nine', MODELS: '/models' },
  )
  t.same(
    secretsOf(config)
      .filter((secret) => secret !== '')
      .toSorted(),
    'app-key app-key client-key eight engine-key five four nine one peer-key seven= six three two'.split(' '),
  )
})

t.test('they are taken out of text, also as JSON has them, the longest first', async (t) => {
  const secrets = createRedaction()
  const text = 'is sesame-open or sesame-open-2 or "a\\"quoted\\\\key" or short'
  t.equal(secrets.redact(text), text)
  secrets.know(
    read(
      String.raw`{ models: { a: { cmd: "x --port 1" } }, apiKeys: [sesame-open, sesame-open-2, 'a"quoted\key', short] }`,
    ),
  )
  t.equal(secrets.redact(text), 'is *** or *** or "***" or short')
  secrets.know(read('{ models: { a: { cmd: "x --port 1" } }, apiKeys: [another-key] }'))
  t.equal(secrets.redact('sesame-open another-key'), '*** ***', 'lines of an earlier time are still there')
})

t.test('what looks like a key goes too, and nothing around it', async (t) => {
  const { redact } = createRedaction()
  const cases = [
    ['Bearer abcdef123456, x', 'Bearer ***, x'],
    ['--api-key secretsecret --port 1', '--api-key *** --port 1'],
    [`--hf-token='hush' y`, `--hf-token='***' y`],
    [JSON.stringify('--token "quoted" z'), JSON.stringify('--token "***" z')],
    ['sk-abcdefghijklmnop', '***'],
    ['hf_abcdefghijklmnopqrst ghp_abcdefghijklmnopqrst', '*** ***'],
    [
      'hf-llama-3-8b-instruct ask-me-something-nice --tokens 5',
      'hf-llama-3-8b-instruct ask-me-something-nice --tokens 5',
    ],
  ] as const
  for (const [given, wanted] of cases) t.equal(redact(given), wanted)
})
