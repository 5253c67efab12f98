import t from 'tap'
import { createUseMeter } from '../../src/simulate/host.ts'

t.test('idle is when nothing is in use; uses may overlap', async (t) => {
  const meter = createUseMeter(100)
  t.equal(meter.idleMs(150), 50)
  meter.begin(200)
  meter.begin(210)
  meter.end(300)
  t.equal(meter.idleMs(350), 100)
  meter.end(400)
  t.equal(meter.idleMs(430), 130)
  meter.begin(450)
  t.equal(meter.idleMs(500), 150)
})
