import t from 'tap'
import { failureOf } from '@lswap/core'
import { connectionFailure } from '../../src/client/connection-failure.ts'
import { systemError } from '../terminal.ts'

const hint = (code: string, origin: string): string | undefined =>
  failureOf(connectionFailure(systemError(code), { url: origin, origin, prefix: '', key: undefined, ca: undefined }))
    .hint

t.test('who is hung up on is told of HTTPS, unless that was spoken', async (t) => {
  t.match(hint('ECONNRESET', 'http://localhost:8080'), /its address begins with https/)
  t.match(hint('ECONNRESET', 'https://localhost:8080'), /start it with `lswap serve`/)
  t.match(hint('ECONNREFUSED', 'http://localhost:8080'), /start it with `lswap serve`/)
})
