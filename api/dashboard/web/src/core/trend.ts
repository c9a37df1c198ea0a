// Figures over time: weeks, the hours of a week, and the usual course of a day.
import type { FigureRow, TrendRow } from '../api.gen.ts'
import { totalsOf, type Name } from './figures.ts'
import { midnight, plus, wall, type Day } from './window.ts'

const hour = 36e5,
  day = 24 * hour

// weeksOf sums the days of a trend by weeks, which begin on a Monday.
export function weeksOf(days: TrendRow[]): TrendRow[] {
  const weeks: TrendRow[][] = []
  for (const row of days) {
    const isMonday = new Date(row.bucket + 'T00:00Z').getUTCDay() === 1
    if (isMonday || !weeks.length) weeks.push([])
    weeks.at(-1)!.push(row)
  }
  return weeks.map(rows => ({ ...rows[0]!, ...totalsOf(rows) }))
}

// Heat has the figures of each hour of the week, of each weekday, of each hour of the day, and the total.
export type Heat = { cells: FigureRow[][]; weekdays: FigureRow[]; hours: FigureRow[]; total: FigureRow }

// heatOf arranges a trend by weekday_hour, which has all 168 hours from Monday on.
export function heatOf(rows: TrendRow[]): Heat {
  const cells = [0, 1, 2, 3, 4, 5, 6].map(d => rows.slice(d * 24, d * 24 + 24) as FigureRow[])
  return {
    cells,
    weekdays: cells.map(totalsOf),
    hours: Array.from({ length: 24 }, (_, h) => totalsOf(cells.flatMap(c => c.slice(h, h + 1)))),
    total: totalsOf(rows),
  }
}

// strongest returns the value from which a cell has the strongest colour. One value in twenty may be larger, so that a single very
// large value does not make all other cells pale.
export function strongest(values: (number | null)[]): number {
  const sizes = values
    .filter(v => v !== null && v !== 0)
    .map(v => Math.abs(v!))
    .sort((a, b) => a - b)
  return sizes[Math.ceil(sizes.length * 0.95) - 1] ?? 0
}

// Course is what a figure has added up to since midnight, today and on a usual day. `times` are the full hours and the present
// moment. `now` and `usualNow` are the values at the present moment.
export type Course = { times: number[]; today: (number | null)[]; usual: (number | null)[]; now: number; usualNow: number | null }

export const usualDays = 14
const leastDays = 3 // days with traffic that a usual day needs

const median = (values: number[]) => {
  const v = [...values].sort((a, b) => a - b),
    half = v.length >> 1
  return v.length % 2 ? v[half]! : (v[half - 1]! + v[half]!) / 2
}

// courseOf returns the course of today, and the median of earlier days at the same time of day. `rows` are the hours of today and
// of these days. Days without a click are left out of the median.
export function courseOf(rows: TrendRow[], name: Name, tz: string, now: number): Course {
  const dates = new Map<number, { sums: number[]; clicks: number }>()
  const dateOf = (at: number) => Math.floor(wall(at, tz) / day)
  for (const row of rows) {
    const at = Date.parse(row.start!)
    if (at > now) continue
    const date = dateOf(at),
      of = dates.get(date) ?? { sums: Array<number>(24).fill(0), clicks: 0 }
    of.sums[new Date(wall(at, tz)).getUTCHours()]! += Number(row[name] ?? 0)
    of.clicks += row.clicks
    dates.set(date, of)
  }
  const date = dateOf(now)
  const added = (sums: number[]) => sums.reduce<number[]>((list, n) => [...list, list.at(-1)! + n], [0])
  const mine = added(dates.get(date)?.sums ?? Array<number>(24).fill(0)),
    others = [...dates].filter(([d, of]) => d !== date && of.clicks > 0).map(([, of]) => added(of.sums)),
    usual = others.length < leastDays ? null : mine.map((_, h) => median(others.map(o => o[h]!)))
  const first = new Date(date * day),
    today: Day = { y: first.getUTCFullYear(), m: first.getUTCMonth() + 1, d: first.getUTCDate() },
    start = midnight(today, tz),
    end = midnight(plus(today, 1), tz),
    passed = Math.min(23, Math.floor((wall(now, tz) % day) / hour)),
    part = ((wall(now, tz) % day) / hour) % 1
  const usualNow = usual && usual[passed]! + (usual[passed + 1]! - usual[passed]!) * part
  const marks = mine.map((_, h) => (h === 24 ? end : Math.min(end, start + h * hour)))
  const steps = marks.map((at, h) => ({ at, today: h <= passed ? mine[h]! : null, usual: usual?.[h] ?? null }))
  steps.splice(passed + 1, 0, { at: now, today: mine[passed + 1]!, usual: usualNow })
  const list = steps.filter((s, i) => i === 0 || s.at > steps[i - 1]!.at)
  return { times: list.map(s => s.at), today: list.map(s => s.today), usual: list.map(s => s.usual), now: mine[passed + 1]!, usualNow }
}

type Step = { from: number; to: number | null; conversions: number }

// within returns the end, in seconds after the click, of the first step by which at least the given share of the conversions has
// arrived. It returns null if this is the last step, which has no end, and if there are no conversions.
export function within(steps: Step[], share: number): number | null {
  const all = steps.reduce((n, s) => n + s.conversions, 0)
  let sum = 0
  for (const s of steps) {
    sum += s.conversions
    if (all && sum >= all * share) return s.to
  }
  return null
}
