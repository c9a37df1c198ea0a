// The figures of reports: their names in the API, how they are shown, and whether a change is more than chance.
import type { FigureRow } from '../api.gen.ts'
import { t } from './text.ts'
import { count, money, none, percent, shown, signed, type Kind } from './format.ts'

export type Name = keyof FigureRow
type Figure = { kind: Kind; digits?: number; good: 1 | -1 | 0 }

// good is 1 if a rise is good and -1 if it is bad.
export const figures: Record<Name, Figure> = {
  clicks: { kind: 'count', good: 1 },
  unique_clicks: { kind: 'count', good: 1 },
  bot_clicks: { kind: 'count', good: -1 },
  lp_views: { kind: 'count', good: 1 },
  lp_clicks: { kind: 'count', good: 1 },
  lp_ctr: { kind: 'percent', digits: 1, good: 1 },
  conversions: { kind: 'count', good: 1 },
  approved: { kind: 'count', good: 1 },
  pending: { kind: 'count', good: 0 },
  rejected: { kind: 'count', good: -1 },
  chargebacks: { kind: 'count', good: -1 },
  cr: { kind: 'percent', good: 1 },
  cost: { kind: 'money', good: 0 },
  revenue: { kind: 'money', good: 1 },
  pending_revenue: { kind: 'money', good: 0 },
  profit: { kind: 'money', good: 1 },
  roi: { kind: 'percent', digits: 1, good: 1 },
  epc: { kind: 'small', good: 1 },
  cpc: { kind: 'small', good: 0 },
  cpa: { kind: 'money', good: 0 },
  approve_rate: { kind: 'percent', digits: 1, good: 1 },
}
export const names = Object.keys(figures) as Name[]
export const usual: Name[] = ['clicks', 'unique_clicks', 'lp_ctr', 'conversions', 'cr', 'cost', 'revenue', 'profit', 'roi', 'epc']

// ratios are the figures that are quotients: part, divided by the sum of the figures in by, times a factor. The API computes them in
// models/figures.go.
const ratios: Partial<Record<Name, { part: Name; by: Name[]; times: number }>> = {
  lp_ctr: { part: 'lp_clicks', by: ['lp_views'], times: 100 },
  cr: { part: 'conversions', by: ['clicks'], times: 100 },
  roi: { part: 'profit', by: ['cost'], times: 100 },
  epc: { part: 'revenue', by: ['clicks'], times: 1 },
  cpc: { part: 'cost', by: ['clicks'], times: 1 },
  cpa: { part: 'cost', by: ['conversions'], times: 1 },
  approve_rate: { part: 'approved', by: ['conversions', 'rejected'], times: 100 },
}

// totalsOf returns the sums of rows and the ratios of these sums. A ratio whose divisor is zero is null.
export function totalsOf(rows: FigureRow[]): FigureRow {
  const sum = (name: Name) => rows.reduce((total, row) => total + Number(row[name] ?? 0), 0)
  const valueOf = (name: Name) => {
    const ratio = ratios[name]
    if (!ratio) return sum(name)
    const by = ratio.by.reduce((total, other) => total + sum(other), 0)
    return by ? (sum(ratio.part) / by) * ratio.times : null
  }
  return Object.fromEntries(names.map(name => [name, valueOf(name)])) as unknown as FigureRow
}

export const text = (row: FigureRow, name: Name) => shown(row[name], figures[name].kind, figures[name].digits)

// z is the limit of a change in standard deviations: in 95 of 100 cases chance alone stays below it.
const z = 1.96
const poisson = (a: number, b: number) => Math.abs(a - b) > z * Math.sqrt(Math.max(a + b, 1))
function share(a: number, n: number, b: number, m: number) {
  if (!n || !m) return false
  const p = (a + b) / (n + m)
  return Math.abs(a / n - b / m) > z * Math.sqrt(p * (1 - p) * (1 / n + 1 / m))
}

// isReal reports whether a change is larger than chance explains. It tests counts as Poisson values, shares as two proportions, and
// money by the number of conversions that brought it.
export function isReal(name: Name, now: FigureRow, was: FigureRow): boolean {
  switch (name) {
    case 'cr':
      return share(now.conversions, now.clicks, was.conversions, was.clicks)
    case 'lp_ctr':
      return share(now.lp_clicks, now.lp_views, was.lp_clicks, was.lp_views)
    case 'approve_rate':
      return share(now.approved, now.conversions + now.rejected, was.approved, was.conversions + was.rejected)
    case 'revenue':
    case 'profit':
    case 'roi':
    case 'epc':
    case 'cpa': {
      const part = (r: FigureRow) => (r.revenue * r.revenue) / Math.max(r.approved, 1) + (r.cost * r.cost) / Math.max(r.clicks, 1)
      const gap = name === 'profit' ? now.profit - was.profit : now.revenue - was.revenue
      return Math.abs(gap) > z * Math.sqrt(part(now) + part(was))
    }
    case 'cost':
    case 'cpc':
    case 'pending_revenue':
      return true
  }
  return poisson(now[name] as number, was[name] as number)
}

// roundedTo rounds a percentage and returns it with its text. A value that rounds to zero becomes zero, without a sign.
function roundedTo(n: number, digits: number) {
  const value = Number(n.toFixed(digits)) || 0
  return { value, text: percent(value, digits) }
}

export type Change = { text: string; tone: 'good' | 'bad' | 'dim' }

// changeOf returns the change of a figure. The change of a share is in percentage points.
export function changeOf(name: Name, now: FigureRow, was: FigureRow | undefined, digits = 0): Change {
  const a = now[name],
    b = was?.[name]
  if (a == null || b == null || !was) return { text: '', tone: 'dim' }
  const { kind, good } = figures[name]
  const gap = a - b
  let text: string
  if (kind === 'percent') {
    const n = roundedTo(gap, Math.abs(gap) < 10 ? (name === 'cr' ? 2 : 1) : 0)
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
export { count, none }
