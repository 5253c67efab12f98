import { generateKeyPairSync } from 'node:crypto'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { readTls } from '../../../src/commands/serve/read-tls.ts'
import { main } from '../../../src/main.ts'
import { TLS_FILES, tlsIdentity } from '../../fixtures.ts'
import { terminal } from '../../terminal.ts'

const { cert, key, otherKey } = TLS_FILES

t.test('a certificate and its key are read; without flags there is none', async (t) => {
  t.same(await readTls({ tlsCert: cert, tlsKey: key }, '/'), tlsIdentity())
  t.equal(await readTls({}, '/'), undefined)
})

t.test('what is wrong says which file and why, and ends with 2', async (t) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString()
  const cwd = scratch(t, { 'text.pem': 'nothing', 'locked.pem': pem })
  const cases = [
    [[cert, undefined], '--tls-cert is given without --tls-key.'],
    [[undefined, key], '--tls-key is given without --tls-cert.'],
    [['none.pem', key], 'Cannot read the TLS certificate none.pem: it does not exist.'],
    [[cert, '.'], 'Cannot read the TLS key .: it is a folder.'],
    [['text.pem', key], 'text.pem does not hold a certificate in PEM.'],
    [[key, key], `${key} does not hold a certificate in PEM.`],
    [[cert, 'text.pem'], 'text.pem does not hold an unencrypted private key in PEM.'],
    [[cert, 'locked.pem'], 'locked.pem does not hold an unencrypted private key in PEM.'],
    [[cert, otherKey], `The TLS key ${otherKey} is not the key of the certificate ${cert}.`],
  ] as const
  for (const [[tlsCert, tlsKey], message] of cases) {
    const io = terminal({ cwd })
    const flags = [...(tlsCert ? ['--tls-cert', tlsCert] : []), ...(tlsKey ? ['--tls-key', tlsKey] : [])]
    t.equal(await main(['serve', '--demo', '--listen', '0', ...flags], io), 2, message)
    t.match(io.err(), `error: ${message}\n`)
  }
})
