import { equal, test } from '../testing.ts'
import type { TrendRow } from '../api.gen.ts'
import { courseOf, heatOf, strongest, weeksOf, within } from './trend.ts'

const row = (of: Partial<TrendRow>) => ({ clicks: 0, profit: 0, cost: 0, revenue: 0, start: null, bucket: '', ...of }) as TrendRow

test('a new week begins on each Monday, and ratios are computed from the sums of a week', () => {
  // 20 November 2026 is a Friday.
  const days = Array.from({ length: 11 }, (_, i) => row({ bucket: `2026-11-${20 + i}`, clicks: 10, conversions: i, approved: i }))
  const weeks = weeksOf(days)
  equal(
    weeks.map(w => [w.bucket, w.clicks, w.cr]),
    [
      ['2026-11-20', 30, 10],
      ['2026-11-23', 70, 60],
      ['2026-11-30', 10, 100],
    ],
  )
})

test('the heat map has the hours of each weekday, and their sums', () => {
  const heat = heatOf(Array.from({ length: 168 }, (_, i) => row({ clicks: i })))
  equal([heat.cells[0]![0]!.clicks, heat.cells[1]![3]!.clicks, heat.cells[6]![23]!.clicks], [0, 27, 167])
  equal([heat.weekdays[0]!.clicks, heat.hours[0]!.clicks, heat.total.clicks], [276, 504, 14028])
})

test('a single extreme value does not set the scale', () => {
  equal(strongest([...Array<number>(39).fill(-2), 1000, null, 0]), 2)
  equal([strongest([]), strongest([0, null]), strongest([-5])], [0, 0, 5])
})

test('the usual course is the median of the days before, at the same local time', () => {
  const start = Date.UTC(2026, 10, 20) - 36e5 // midnight in Berlin
  const rows: TrendRow[] = []
  for (let h = 0; h < 4 * 24; h++)
    rows.push(row({ start: new Date(start + h * 36e5).toISOString(), clicks: h < 72 ? 1 : 2, profit: h < 24 ? 1 : h < 48 ? 2 : 9 }))
  const now = start + 72 * 36e5 + 90 * 6e4, // half past one on the fourth day
    course = courseOf(rows, 'profit', 'Europe/Berlin', now)
  equal([course.now, course.usualNow], [18, 3])
  equal(course.times.length, 26)
  equal(course.today.slice(0, 4), [0, 9, 18, null])
  equal(course.usual.slice(0, 4), [0, 2, 3, 4])
  equal([course.times[2], course.usual.at(-1)], [now, 48])
  equal(courseOf(rows.slice(24), 'profit', 'Europe/Berlin', now).usualNow, null)
})

test('within returns the end of the step by which a share of the conversions has come', () => {
  const steps = [
    { from: 0, to: 60, conversions: 5 },
    { from: 60, to: 300, conversions: 4 },
    { from: 300, to: null, conversions: 1 },
  ]
  equal([within(steps, 0.5), within(steps, 0.9), within(steps, 1), within([], 0.5)], [60, 300, null, null])
})
