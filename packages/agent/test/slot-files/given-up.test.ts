import { readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { scratch } from '@lswap/core/test-support'
import t from 'tap'
import { recordedLog } from '../process/support/recorded-log.ts'
import { model } from '../process/support/models.ts'
import { fileNameOf, openSlotFolder } from '../../src/slot-files/folder.ts'
import { createSlotKeeper, type SlotVerdicts } from '../../src/slot-files/keeper.ts'
import { slotKey } from '../../src/slot-files/slot-key.ts'

for (const [phase, verdict] of [
  ['a restore', 'of use'],
  ['the proof', undefined],
] as const) {
  t.test(`a start that is given up during ${phase} loses no conversation and proves nothing`, async (t) => {
    const givenUp = new AbortController()
    const server = createServer((request, response) => {
      if (request.url === '/props') response.end('{"total_slots":2}')
      // It never answers
      else givenUp.abort()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const kept = model('kept', { saveSlots: true })
    const props = { slots: 2, modelPath: undefined, build: undefined }
    const key = await slotKey(kept, process.execPath, props)
    const verdicts: SlotVerdicts = new Map(verdict === undefined ? [] : [[key, verdict]])
    const folder = openSlotFolder(scratch(t))
    for (const slot of [0, 1]) await writeFile(`${folder.path}/${fileNameOf({ model: kept.id, key, slot })}`, '')
    const log = recordedLog()
    const keeper = createSlotKeeper({ model: kept, program: process.execPath, folder, verdicts, log })
    const { port } = server.address() as AddressInfo
    await keeper.restore({ host: '127.0.0.1', port, basePath: '', extraHeaders: [] }, givenUp.signal)
    t.ok(givenUp.signal.aborted)
    t.equal((await readdir(folder.path)).length, 2)
    t.equal(verdicts.get(key), verdict)
    t.same(log.messages, [])
  })
}
