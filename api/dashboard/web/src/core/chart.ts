// The data of charts above a report.
import type { Performance, PerformanceRow } from '../api.gen.ts'
import { figures, names, type Name } from './figures.ts'
import { orderAt, timely, type Ask } from './report.ts'

export type ChartKind = 'bars' | 'lines' | 'share' | 'map'

// dimensionsOf returns the dimensions by which the rows of a chart are grouped. For a tree, that is the first level.
export const dimensionsOf = (ask: Ask) => (ask.flat ? ask.group : ask.group.slice(0, 1))

// A query has at most five dimensions. A chart of lines needs one of them for the time.
const mostDimensions = 5
// `adds` reports whether the values of a figure can be added up.
export const adds = (name: Name) => !figures[name].under.length

// kindsOf returns the charts that a report can have.
export function kindsOf(ask: Ask): ChartKind[] {
  const dims = dimensionsOf(ask)
  if (dims.some(d => timely.includes(d))) return ['bars']
  return [
    'bars',
    ...(dims.length < mostDimensions ? (['lines'] as const) : []),
    'share',
    ...(dims.length === 1 && dims[0] === 'country' ? (['map'] as const) : []),
  ]
}

// chartFigure returns the figure of a chart: the one in the address, else the one by which the report is sorted, else the profit.
export function chartFigure(ask: Ask, wanted: string | null): Name {
  const sorted = orderAt(ask, 0).replace('-', ''),
    known = (name: string | null): name is Name => names.includes(name as Name)
  return known(wanted) ? wanted : ask.sort && known(sorted) ? sorted : 'profit'
}

// topOf returns the n rows with the largest absolute values, so a large loss is among them. For a ratio it returns the rows with the
// most clicks, because a ratio of few clicks says little.
export function topOf(rows: PerformanceRow[], name: Name, n: number): PerformanceRow[] {
  const by = adds(name) ? name : 'clicks',
    size = (r: PerformanceRow) => Math.abs(Number(r[by] ?? 0))
  return [...rows].sort((a, b) => size(b) - size(a)).slice(0, n)
}

// sharesOf returns each top row's share of the total, and the share of all other rows together. It returns null if shares make no
// sense: the figure is a ratio, a row is negative, or the total is not positive.
export function sharesOf(data: Performance, top: PerformanceRow[], name: Name): { of: number[]; others: number } | null {
  const total = Number(data.totals[name] ?? 0)
  if (!adds(name) || total <= 0 || data.rows.some(r => Number(r[name] ?? 0) < 0)) return null
  const of = top.map(r => Number(r[name] ?? 0) / total)
  return { of, others: Math.max(0, 1 - of.reduce((a, b) => a + b, 0)) }
}

// linesOf returns a line for each key, with a value for each moment. Where a row is missing, a sum is 0 and a ratio is null.
export function linesOf(rows: PerformanceRow[], dims: string[], bucket: string, keys: string[], moments: string[], name: Name) {
  const at = new Map(moments.map((m, i) => [m, i])),
    lines = keys.map(() => moments.map((): number | null => (adds(name) ? 0 : null)))
  for (const row of rows) {
    const line = lines[keys.indexOf(rowKey(row, dims))],
      i = at.get(row.dims[bucket]!)
    if (line && i !== undefined) line[i] = row[name]
  }
  return lines
}
export const rowKey = (row: PerformanceRow, dims: string[]) => JSON.stringify(dims.map(d => row.dims[d]))
