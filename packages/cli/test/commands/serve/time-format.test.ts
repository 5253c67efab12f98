import t from 'tap'

// The names of zones are found once, at the import
process.env['TZ'] = 'Asia/Kolkata'
const { formatTime } = await import('../../../src/commands/serve/time-format.ts')

// Go's own, by `time.Date(2026, 2, 3, 4, 5, 6, 7*int(time.Millisecond), zone).Format(layout)`
const EXPECTED = {
  '': '04:05:06',
  ansic: 'Tue Feb  3 04:05:06 2026',
  unixdate: 'Tue Feb  3 04:05:06 GMT+5:30 2026',
  rubydate: 'Tue Feb 03 04:05:06 +0530 2026',
  rfc822: '03 Feb 26 04:05 GMT+5:30',
  rfc822z: '03 Feb 26 04:05 +0530',
  rfc850: 'Tuesday, 03-Feb-26 04:05:06 GMT+5:30',
  rfc1123: 'Tue, 03 Feb 2026 04:05:06 GMT+5:30',
  rfc1123z: 'Tue, 03 Feb 2026 04:05:06 +0530',
  rfc3339: '2026-02-03T04:05:06+05:30',
  rfc3339nano: '2026-02-03T04:05:06.007+05:30',
  kitchen: '4:05AM',
  stamp: 'Feb  3 04:05:06',
  stampmilli: 'Feb  3 04:05:06.007',
  stampmicro: 'Feb  3 04:05:06.007000',
  stampnano: 'Feb  3 04:05:06.007000000',
} as const

const names = Object.keys(EXPECTED) as (keyof typeof EXPECTED)[]

t.test('every name is laid out as Go does; only the short name of a zone is the one that Node knows', async (t) => {
  const date = new Date(2026, 1, 3, 4, 5, 6, 7)
  for (const name of names) t.equal(formatTime(date, name), EXPECTED[name], name)
})

t.test('noon, midnight, evening, a whole second and Greenwich', async (t) => {
  t.same(
    [0, 12, 23].map((hour) => formatTime(new Date(2026, 11, 25, hour, 30), 'kitchen')),
    ['12:30AM', '12:30PM', '11:30PM'],
  )
  t.equal(
    formatTime(new Date(2026, 11, 25, 9, 30), 'rfc3339nano'),
    '2026-12-25T09:30:00+05:30',
    'no point before nothing',
  )
  process.env['TZ'] = 'UTC'
  t.equal(formatTime(new Date(0), 'rfc3339'), '1970-01-01T00:00:00Z')
  process.env['TZ'] = 'America/St_Johns'
  t.equal(formatTime(new Date(0), 'rfc822z'), '31 Dec 69 20:30 -0330')
})
