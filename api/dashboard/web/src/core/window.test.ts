import { equal, test } from '../testing.ts'
import { before, days, iso, midnight, moment, plus, sofar, spanOf, today, wall, windowOf } from './window.ts'

// In Santiago and Beirut the clock changes at midnight, and on Lord Howe it changes by half an hour. Kathmandu is 5 hours and 45
// minutes ahead of UTC.
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
]

test('a day begins at its first moment, whatever the clock does', () => {
  for (const zone of zones)
    for (let day = { y: 2025, m: 12, d: 30 }; iso(day) < '2027-01-03'; day = plus(day, 1)) {
      const begins = midnight(day, zone)
      const after = new Date(wall(begins, zone)).toISOString(),
        last = new Date(wall(begins - 1000, zone)).toISOString()
      if (after.slice(0, 10) !== iso(day) || last.slice(0, 10) !== iso(plus(day, -1)))
        throw new Error(`${iso(day)} in ${zone} begins at ${after}, after ${last}`)
    }
})

test('a time of day is found on a day on which the clocks change', () => {
  for (const day of [28, 29, 30])
    for (const hour of [1, 5, 12]) {
      const local = Date.UTC(2026, 2, day, hour, 30)
      equal(wall(moment(local, 'Europe/Berlin'), 'Europe/Berlin'), local)
    }
})

test('the window before a given window has as many days, and ends where the given window begins', () => {
  for (const zone of zones)
    for (const name of ['today', 'yesterday', '7d', '14d', '30d', 'month', 'last-month', '2026-03-01_2026-03-31']) {
      const w = windowOf(name, zone),
        b = before(w)
      equal([days(b.span), b.end, iso(plus(b.span.to, 1))], [days(w.span), w.start, iso(w.span.from)], `${name} in ${zone}`)
    }
})

test('a running window is compared with one whose last day is as long as today so far', () => {
  const day = { from: '2026-11-25 00:00:00', to: '2026-11-25 23:59:59', tz: 'UTC' },
    week = { ...day, from: '2026-11-19 00:00:00' }
  const now = Date.UTC(2026, 10, 25, 3, 25)
  equal(sofar(day, now), '2026-11-24 00:00:00..2026-11-24 03:24:59')
  equal(sofar(week, now), '2026-11-12 00:00:00..2026-11-18 03:24:59')
  // Berlin puts its clock back on 25 October: 13 hours of that day have passed.
  const berlin = { from: '2026-10-24 22:00:00', to: '2026-10-25 22:59:59', tz: 'Europe/Berlin' }
  equal(sofar(berlin, Date.UTC(2026, 9, 25, 11)), '2026-10-23 22:00:00..2026-10-24 10:59:59')
  for (const at of [Date.UTC(2026, 10, 26), Date.UTC(2026, 10, 18)]) equal(sofar(week, at), 'previous')
})

test('a window that cannot be read is the last seven days', () => {
  const now = today('UTC')
  for (const text of ['', 'x', '2026-03-31_2026-03-01', '2026-03-01']) equal(spanOf(text, 'UTC'), { from: plus(now, -6), to: now }, text)
})

test('the bounds of a window are sent in UTC, and the last second is included', () => {
  const w = windowOf('2026-03-29_2026-03-29', 'Europe/Berlin') // the clock goes forward
  equal([w.from, w.to, (w.end - w.start) / 3600e3], ['2026-03-28 23:00:00', '2026-03-29 21:59:59', 23])
})
