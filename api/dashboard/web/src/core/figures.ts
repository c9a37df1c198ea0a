// The figures of reports: how they are shown, their totals, and whether a change is more than chance.
import type { FigureRow } from '../api.gen.ts'
import { measures, type Measure } from '../measures.gen.ts'
import { t } from './text.ts'
import { money, percent, formatted, signed } from './format.ts'

export type Name = keyof FigureRow
// figures describes each figure. The property `good` is 1 if a rise is good, -1 if a rise is bad, and 0 if it is neither.
export const figures = measures
export const names = Object.keys(figures) as Name[]
export const usual: Name[] = ['clicks', 'unique_clicks', 'lp_ctr', 'conversions', 'cr', 'cost', 'revenue', 'profit', 'roi', 'epc']

// figureName returns the name of a figure. The name of conversions is longer here than in t.figures.names.
export const figureName = (name: Name) => (name === 'conversions' ? t.figures.conversions : t.figures.names[name])
export const figureOptions = names.map(value => ({ value, label: figureName(value) }))

// valueOf returns a side of a formula: the sum of its terms.
const valueOf = (terms: Measure['over'], value: (name: Name) => number) =>
  terms.reduce((sum, term) => sum + (term[0] === '-' ? -value(term.slice(1) as Name) : value(term as Name)), 0)

// totalsOf returns the sums of rows and the ratios of these sums. A ratio whose divisor is zero is null.
export function totalsOf(rows: FigureRow[]): FigureRow {
  const sum = (name: Name) => rows.reduce((total, row) => total + Number(row[name] ?? 0), 0)
  const total = (name: Name) => {
    const { kind, over, under } = figures[name]
    if (!under.length) return sum(name)
    const by = valueOf(under, sum)
    return by ? (valueOf(over, sum) / by) * (kind === 'percent' ? 100 : 1) : null
  }
  return Object.fromEntries(names.map(name => [name, total(name)])) as unknown as FigureRow
}

// restOf returns the clicks and the profit that the totals contain but the rows do not.
export function restOf(totals: FigureRow, rows: FigureRow[]): { clicks: number; profit: number } {
  const sum = totalsOf(rows),
    gap = (name: 'clicks' | 'profit') => Number((totals[name] - sum[name]).toFixed(4)) || 0
  return { clicks: gap('clicks'), profit: gap('profit') }
}

// isCounted reports whether one of the given figures of a row is not zero.
export const isCounted = (row: FigureRow, names: Name[]) => names.some(name => row[name])

export const text = (row: FigureRow, name: Name) => formatted(row[name], figures[name].kind, figures[name].digits)

// z is a number of standard deviations. Chance alone causes a smaller change in 95 of 100 cases, so a larger one is taken as real.
const z = 1.96
// poisson reports whether two counts differ by more than chance.
const poisson = (a: number, b: number) => Math.abs(a - b) > z * Math.sqrt(Math.max(a + b, 1))
// share reports whether the shares a of n and b of m differ by more than chance.
function share(a: number, n: number, b: number, m: number) {
  if (!n || !m) return false
  const p = (a + b) / (n + m)
  return Math.abs(a / n - b / m) > z * Math.sqrt(p * (1 - p) * (1 / n + 1 / m))
}

// isReal reports whether a change is larger than chance explains. It tests counts as Poisson values, shares as two proportions,
// and figures of money by the number of approved conversions and clicks. It returns true for figures without a test.
export function isReal(name: Name, now: FigureRow, was: FigureRow): boolean {
  const { test, over, under } = figures[name],
    figureOf = (row: FigureRow) => (n: Name) => Number(row[n])
  switch (test) {
    case 'count':
      return poisson(figureOf(now)(name), figureOf(was)(name))
    case 'share':
      return share(valueOf(over, figureOf(now)), valueOf(under, figureOf(now)), valueOf(over, figureOf(was)), valueOf(under, figureOf(was)))
    case 'sales': {
      const part = (r: FigureRow) => (r.revenue * r.revenue) / Math.max(r.approved, 1) + (r.cost * r.cost) / Math.max(r.clicks, 1)
      const gap = name === 'profit' ? now.profit - was.profit : now.revenue - was.revenue
      return Math.abs(gap) > z * Math.sqrt(part(now) + part(was))
    }
  }
  return true
}

function roundedTo(n: number, digits: number) {
  const value = Number(n.toFixed(digits)) || 0
  return { value, text: percent(value, digits) }
}

export type Change = { text: string; tone: 'good' | 'bad' | 'dim' }

// changeOf returns the change of a figure. The change of a percentage is in percentage points.
export function changeOf(name: Name, now: FigureRow, was: FigureRow | undefined, digits = 0): Change {
  const a = now[name],
    b = was?.[name]
  if (a == null || b == null || !was) return { text: '', tone: 'dim' }
  const { kind, good } = figures[name]
  const gap = a - b
  let text: string
  if (kind === 'percent') {
    const n = roundedTo(gap, Math.abs(gap) < 10 ? figures[name].digits : 0)
    text = signed(t.figures.points(n.text.slice(0, -1).trim()), n.value)
  } else if (!b) text = a ? t.figures.isNew : ''
  else {
    const n = roundedTo((gap / Math.abs(b)) * 100, digits)
    text = signed(n.text, n.value)
  }
  const tone = !good || !gap || !isReal(name, now, was) ? 'dim' : gap * good > 0 ? 'good' : 'bad'
  return { text, tone }
}

export const profit = (n: number) => signed(money(n), n)
export const rounded = (n: number) => signed(money(n, Math.abs(n) < 10 ? 2 : 0), n)
