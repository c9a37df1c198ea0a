// The window of time: whole days in the account's time zone, which are sent as moments in UTC.
import { computed } from '@preact/signals'
import { zone } from './me.ts'
import { place } from './router.ts'

export type Day = { y: number; m: number; d: number }
// Span is a range of days, including the first and the last.
export type Span = { from: Day; to: Day }

export const presets = ['today', 'yesterday', '7d', '14d', '30d', 'month', 'last-month'] as const

const clocks = new Map<string, Intl.DateTimeFormat>()
function clock(tz: string) {
  let f = clocks.get(tz)
  if (!f)
    clocks.set(
      tz,
      (f = new Intl.DateTimeFormat('en-CA', {
        timeZone: tz,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        hourCycle: 'h23',
      })),
    )
  return f
}

// wall returns the local time of a moment in a zone, as the timestamp that this local time would have in UTC.
export function wall(at: number, tz: string): number {
  const v = Object.fromEntries(
    clock(tz)
      .formatToParts(at)
      .map(p => [p.type, +p.value]),
  ) as Record<string, number>
  return Date.UTC(v.year!, v.month! - 1, v.day, v.hour, v.minute, v.second)
}

// moment returns the moment at which the clocks of a zone show a time, which is given as if it were UTC. The second step of the loop
// corrects the first one, which is wrong if the clocks change close to this time. A time that a change leaves out is read by the
// clock from before the change, so a day whose first hour is left out begins after that hour.
export function moment(want: number, tz: string): number {
  let at = want
  for (let i = 0; i < 2; i++) at += want - wall(at, tz)
  return at + Math.max(0, want - wall(at, tz))
}

const dayOf = (t: number): Day => {
  const d = new Date(t)
  return { y: d.getUTCFullYear(), m: d.getUTCMonth() + 1, d: d.getUTCDate() }
}
export const midnight = (day: Day, tz: string) => moment(Date.UTC(day.y, day.m - 1, day.d), tz)
export const plus = (day: Day, n: number): Day => dayOf(Date.UTC(day.y, day.m - 1, day.d + n))
export const days = (s: Span) => Math.round((Date.UTC(s.to.y, s.to.m - 1, s.to.d) - Date.UTC(s.from.y, s.from.m - 1, s.from.d)) / 864e5) + 1
export const two = (n: number) => String(n).padStart(2, '0')
export const iso = (day: Day) => `${day.y}-${two(day.m)}-${two(day.d)}`
export const today = (tz: string) => dayOf(wall(Date.now(), tz))

// spanOf returns the days that a text of the address names. Any unknown text means the last seven days.
export function spanOf(text: string, tz: string): Span {
  const now = today(tz),
    first = { ...now, d: 1 }
  switch (text) {
    case 'today':
      return { from: now, to: now }
    case 'yesterday':
      return { from: plus(now, -1), to: plus(now, -1) }
    case '14d':
      return { from: plus(now, -13), to: now }
    case '30d':
      return { from: plus(now, -29), to: now }
    case 'month':
      return { from: first, to: now }
    case 'last-month': {
      const end = plus(first, -1)
      return { from: { ...end, d: 1 }, to: end }
    }
  }
  const m = /^(\d{4})-(\d\d)-(\d\d)_(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.slice(1).map(Number)
  if (m) {
    const from = { y: m[0]!, m: m[1]!, d: m[2]! },
      to = { y: m[3]!, m: m[4]!, d: m[5]! }
    if (iso(from) <= iso(to)) return { from, to }
  }
  return { from: plus(now, -6), to: now }
}

// stamp returns a moment as the service writes it: in UTC, to the second.
export const stamp = (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ')

// Window is a span of days in a zone. `from` and `to` are its first and its last second as the service writes them.
export type Window = { name: string; span: Span; from: string; to: string; tz: string; start: number; end: number }

export const windowOf = (name: string, tz: string) => windowOfSpan(name, spanOf(name, tz), tz)

function windowOfSpan(name: string, span: Span, tz: string): Window {
  const start = midnight(span.from, tz),
    end = midnight(plus(span.to, 1), tz)
  return { name, span, start, end, from: stamp(start), to: stamp(end - 1000), tz }
}

// windowQuery returns the query parameters of a window, by default of the window in the address.
export const windowQuery = (w: Window = span.value) => ({ from: w.from, to: w.to, tz: w.tz })

// `before` returns the window that has the same number of days as `w` and ends where `w` begins.
export function before(w: Window): Window {
  const { from } = w.span
  return windowOfSpan('', { from: plus(from, -days(w.span)), to: plus(from, -1) }, w.tz)
}

// sofar returns the window to compare `w` with, as a parameter of the service. While `w` is running, only its part until now is
// compared: the other window begins and ends as many days earlier as `w` has days.
export function sofar(w: { from: string; to: string; tz: string }, now = Date.now()): string {
  const start = read(w.from),
    end = read(w.to) + 1000
  if (now < start || now >= end) return 'previous'
  const n = days({ from: dayOf(wall(start, w.tz)), to: dayOf(wall(end - 1000, w.tz)) }),
    day = dayOf(wall(now, w.tz)),
    first = midnight(plus(dayOf(wall(start, w.tz)), -n), w.tz),
    last = Math.min(start, midnight(plus(day, -n), w.tz) + now - midnight(day, w.tz))
  return last - 1000 > first ? `${stamp(first)}..${stamp(last - 1000)}` : 'previous'
}
const read = (text: string) => Date.parse(text.replace(' ', 'T') + 'Z')

export const span = computed(() => windowOf(place.value.query.get('w') ?? '7d', zone.value))
export const compares = computed(() => place.value.query.get('cmp') !== 'none')
