import t from 'tap'
import { CRITICALITIES, criticalityOf, parseCriticality } from '../../src/pick/criticality.ts'

t.test('the request decides, then the model, then the priority', (t) => {
  t.equal(criticalityOf({ asked: 'standard', configured: 'sheddable', priority: 9 }), 'standard')
  t.equal(criticalityOf({ configured: 'sheddable', priority: 9 }), 'sheddable')
  t.equal(criticalityOf({ priority: 0 }), 'critical')
  t.equal(criticalityOf({ priority: -1 }), 'sheddable')
  t.end()
})

t.test('a header is read in any case, and only as one of the three', (t) => {
  for (const criticality of CRITICALITIES) t.equal(parseCriticality(` ${criticality.toUpperCase()} `), criticality)
  t.equal(parseCriticality('vital'), undefined)
  t.equal(parseCriticality(''), undefined)
  t.end()
})
