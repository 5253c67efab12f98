import t from 'tap'
import { parseUrl } from '../../src/client/target.ts'

t.test('an address may be a port of this machine, a host, or a URL', async (t) => {
  const cases = {
    '8080': 'http://127.0.0.1:8080',
    ':8080': 'http://127.0.0.1:8080',
    'gpu-box:8080': 'http://gpu-box:8080',
    'https://gpu-box': 'https://gpu-box',
    '[::1]:8080': 'http://[::1]:8080',
    'http://proxy/llm/': 'http://proxy/llm',
  }
  for (const [text, url] of Object.entries(cases)) t.equal(parseUrl(text).url, url, text)
  t.throws(() => parseUrl('70000'), { code: 'invalid_request' }, 'no such port')
})

t.test('the base URL that programs are given leads to the same router', async (t) => {
  t.match(parseUrl('http://gpu-box:8080/v1'), { url: 'http://gpu-box:8080', prefix: '' })
  t.match(parseUrl('gpu-box/llm/v1/'), { url: 'http://gpu-box/llm', prefix: '/llm' })
})
