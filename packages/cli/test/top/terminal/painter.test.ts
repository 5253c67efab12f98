import t from 'tap'
import { createPainter } from '../../../src/top/terminal/painter.ts'

const rig = () => {
  const written: string[] = []
  const painter = createPainter((text) => written.push(text))
  return { painter, written }
}

t.test('only lines that changed are written, each in its place', (t) => {
  const { painter, written } = rig()
  painter.enter()
  painter.paint('one\ntwo\nthree')
  written.length = 0
  painter.paint('one\n2\nthree')
  t.same(written, ['\u001B[?2026h\u001B[2;1H\u001B[K2\u001B[?2026l'])
  painter.paint('one\n2\nthree')
  t.equal(written.length, 1)
  t.end()
})

t.test('after another size all is cleared and painted', (t) => {
  const { painter, written } = rig()
  painter.enter()
  painter.paint('one\ntwo')
  written.length = 0
  painter.forget()
  painter.paint('one\ntwo')
  t.match(written.join(''), '\u001B[2J\u001B[1;1H\u001B[Kone\u001B[2;1H\u001B[Ktwo')
  t.end()
})

t.test('it leaves once, and paints nothing after that', (t) => {
  const { painter, written } = rig()
  painter.enter()
  painter.leave()
  painter.leave()
  painter.paint('late')
  t.equal(written.length, 2)
  t.match(written[1], '\u001B[?25h\u001B[?1049l')
  t.end()
})
