import t from 'tap'
import { createEventParser } from '../../src/client/sse.ts'

t.test('events come out whole however their text is cut, and comments do not', (t) => {
  const text = 'id: 1\nevent: a\ndata: {"x":1}\n\n: still here\n\nevent: b\ndata: one\ndata: two\n\n'
  for (let cut = 0; cut <= text.length; cut += 1) {
    const parse = createEventParser()
    const events = [...parse(text.slice(0, cut)), ...parse(text.slice(cut))]
    t.same(events, [
      { type: 'a', data: '{"x":1}' },
      { type: 'b', data: 'one\ntwo' },
    ])
  }
  t.end()
})
