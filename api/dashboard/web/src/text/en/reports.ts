// The texts of reports.
import { counted } from '../words.ts'

const of = counted('en')

export const words = {
  add: (n: number) => `Add (${n} of 5)`,
  addDimension: 'Add a dimension',
  tree: 'Tree',
  flat: 'Flat',
  shape: 'Shape of the table',
  exportIt: 'Export',
  total: (n: number, shown: string) => `Total of ${of(n, 'row', 'rows', shown)}`,
  totalMore: 'Total of all',
  replace: (what: string) => `Replace ${what}`,
  earlier: (what: string) => `${what} one level up`,
  onlyThis: 'Only this (F)',
  exclude: 'Exclude (X)',
  overTime: 'Over time (T)',
  setCost: 'Set cost ($)',
  itsClicks: 'Clicks (L)',
  open: 'Open',
  close: 'Close',
  most: (n: string) => `The first ${n} rows are shown; the export has more.`,
  grouped: (g: number, f: number) => `${of(g, 'grouping', 'groupings')}, ${f ? of(f, 'filter', 'filters') : 'no filter'}`,
  rows: (n: number, shown: string) => of(n, 'row', 'rows', shown),
  opens: 'open',
  closes: 'close',
  onlyKey: 'only this',
  exceptKey: 'exclude',
  allKeys: 'all keys',
  chance: 'Grey changes may be chance',
  overlap: 'A campaign counts in each of its tags, and once in the total',
  overlapKept: 'A campaign counts once for each of its tags, in the total too',
  overTimeOf: (name: string) => `${name} over time`,
  actionsOf: (name: string) => `Actions for ${name}`,
  // for narrow screens
  noRoom: (n: number) => `${of(n, 'column has', 'columns have')} no room here.`,
  allColumns: 'Show all columns',
  sideways: 'The table scrolls sideways.',
  fewer: 'Show what fits',
  // for reports grouped or filtered by goal or status, which only conversions have
  onlySales: 'Only conversions count here. Clicks and costs have no goal and no status, so profit here equals revenue',
  apart: 'Clicks and their costs are in the row “All clicks and costs”',
  itsConversions: 'Conversions (L)',
}
