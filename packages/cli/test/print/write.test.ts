import t from 'tap'
import { write } from '../../src/print/write.ts'
import { systemError, terminal } from '../terminal.ts'

t.test('a reader that left is no error', async (t) => {
  await t.resolveMatch(write(terminal({ brokenStdout: systemError('EPIPE') }).stdout, 'x'), false)
})

t.test('a full disk is one, and says what it is', async (t) => {
  await t.rejects(write(terminal({ brokenStdout: systemError('ENOSPC') }).stdout, 'x'), { message: /ENOSPC/ })
})
