// The query of a report: grouping, filters, columns and order. The address holds all of it.
import { usual, names, type Name } from './figures.ts'
import { dateOf, dateTime } from './dates.ts'
import { country } from './format.ts'
import { change, place } from './router.ts'
import { language, t } from './text.ts'
import { compares, windowQuery } from './window.ts'
import type { Calls, Performance, PerformanceRow, ViewReport } from '../api.gen.ts'

export type Dimension = Calls['GET /reports/values']['query']['dimension']
export type Filter = { dimension: string; not: boolean; values: string[] }
// Bound is a condition on a figure of a row, such as profit<0. Rows without the figure do not meet it.
export type Bound = { figure: Name; op: string; value: number }
// Ask is a report: its grouping, its filters, its columns and the open places of the tree. `least` is the smallest number of
// clicks that a row must have, and `having` are the conditions on its figures. `formulas` are additional columns, as
// core/formula.ts reads them. `sort` is a figure, or a dimension for the order of the first column, or = followed by one of the
// formulas. A minus before it means descending. An empty sort is the usual order: rows by time are ascending, and all other
// rows start with the most clicks.
export type Ask = {
  group: string[]
  filters: Filter[]
  least: number
  having: Bound[]
  columns: Name[]
  formulas: string
  sort: string
  flat: boolean
  open: string[]
}

export const mostDimensions = 5
const usualGroup = 'campaign_id,country,device_type'

export const mostBounds = 10 // the API accepts up to 12
export const boundOps = ['<', '<=', '>=', '>'] as const
const boundForm = /^([a-z_]+)(<=|>=|<|>)(-?\d{1,12}(?:\.\d{1,6})?)$/

// boundsOf reads conditions from a text in the API's format.
export const boundsOf = (text: string): Bound[] =>
  text
    .split(',')
    .flatMap(part => {
      const [, figure, op, value] = boundForm.exec(part) ?? []
      return names.includes(figure as Name) ? [{ figure: figure as Name, op: op!, value: Number(value) }] : []
    })
    .slice(0, mostBounds)
const decimal = (n: number) => (Number.isInteger(n) ? String(n) : n.toFixed(6).replace(/0+$/, ''))
export const textOf = (bounds: Bound[]) => bounds.map(b => b.figure + b.op + decimal(b.value)).join()
export const setBounds = (bounds: Bound[]) => change({ h: textOf(bounds) || null })

export function currentQuery(): Ask {
  const q = place.value.query
  const group = (q.get('g') ?? usualGroup)
    .split(',')
    .filter(d => t.dimensions[d])
    .slice(0, mostDimensions)
  const filters: Filter[] = []
  for (const name of new Set(q.keys())) {
    const dimension = name.slice(2)
    if ((name.startsWith('f.') || name.startsWith('x.')) && t.dimensions[dimension])
      filters.push({ dimension, not: name[0] === 'x', values: q.getAll(name) })
  }
  const columns = (q.get('c') ?? '').split(',').filter(n => names.includes(n as Name)) as Name[]
  return {
    group: group.length ? group : ['campaign_id'],
    filters,
    least: Math.max(0, Math.floor(Number(q.get('min')) || 0)),
    having: boundsOf(q.get('h') ?? ''),
    columns: columns.length ? columns : usual,
    formulas: q.get('fx') ?? '',
    sort: q.get('sort') ?? '',
    flat: q.get('flat') === '1',
    open: q.getAll('o'),
  }
}

export const setGroup = (group: string[]) => change({ g: group.join(',') === usualGroup ? null : group.join(','), o: null })

export const timely = ['date', 'hour', 'hour_of_day', 'day_of_week', 'month']
// ofSales are the dimensions that only conversions have.
export const ofSales = ['goal', 'status']
// isOfSales reports whether a query selects only conversions, by a goal or a status.
export const isOfSales = (query: Query) => ofSales.some(d => (query['f.' + d] as string[] | undefined)?.every(v => v))
const isFigure = (sort: string) => names.includes(sort.replace('-', '') as Name)
// sortedFormula returns the formula by which an order sorts the rows, or an empty text.
export const sortedFormula = (sort: string) => /^-?=(.*)/.exec(sort)?.[1] ?? ''

// orderAt returns the order of the rows on a level of the tree: a figure, a formula, or the dimension of the level for the order
// of its values.
export function orderAt({ group, sort, formulas }: Pick<Ask, 'group' | 'sort' | 'formulas'>, level: number): string {
  const dimension = group[level]!,
    formula = sortedFormula(sort)
  if (!sort || (formula && !formulas.split(',').includes(formula))) return timely.includes(dimension) ? dimension : '-clicks'
  return formula || isFigure(sort) ? sort : (sort[0] === '-' ? '-' : '') + dimension
}
const usualOrder = (group: string[]) => orderAt({ group, sort: '', formulas: '' }, 0)

export const setSort = (sort: string, group: string[]) => change({ sort: sort === usualOrder(group) ? null : sort }, true)
export const setColumns = (columns: Name[]) => change({ c: columns.join() === usual.join() ? null : columns.join() }, true)
export const setFormulas = (formulas: string) => change({ fx: formulas || null }, true)
export const setFilter = (f: Filter) => change({ [(f.not ? 'x.' : 'f.') + f.dimension]: f.values.length ? f.values : null })
export const setOpen = (open: string[]) => change({ o: open }, true)

// reportOf returns the part of a report that a saved view stores.
export const reportOf = (ask: Ask): ViewReport => ({
  group: ask.group,
  filters: ask.filters.map(({ dimension, values, not }) => ({ dimension, values, not })),
  columns: ask.columns.join() === usual.join() ? [] : ask.columns,
  formulas: ask.formulas,
  sort: ask.sort,
  flat: ask.flat,
  min_clicks: ask.least,
  having: textOf(ask.having),
})

// setReport shows the report of a saved view. It keeps only the window and the comparison of the address.
export function setReport(r: ViewReport, id: string, replace = false) {
  const old = Object.fromEntries([...new Set(place.value.query.keys())].filter(n => /^[fx]\./.test(n)).map(n => [n, null]))
  const filters = Object.fromEntries(r.filters.map(f => [(f.not ? 'x.' : 'f.') + f.dimension, f.values]))
  change(
    {
      ...old,
      ...filters,
      view: id,
      g: r.group.join(',') === usualGroup ? null : r.group.join(','),
      c: r.columns.length ? r.columns.join() : null,
      fx: r.formulas || null,
      sort: r.sort && r.sort !== usualOrder(r.group) ? r.sort : null,
      flat: r.flat ? '1' : null,
      min: r.min_clicks ? String(r.min_clicks) : null,
      h: r.having || null,
      o: null,
    },
    replace,
  )
}
// isBare reports whether the address has no settings of the report except the window and the comparison.
export const isBare = () => [...place.value.query.keys()].every(n => n === 'w' || n === 'cmp')

// keyOf returns a row's place in the tree as text for the address.
export const keyOf = (path: string[]) => path.map(v => encodeURIComponent(v)).join('/') + (path.length ? '/' : '')
export const pathOf = (key: string) => key.split('/').slice(0, -1).map(decodeURIComponent)

type Query = Record<string, string | string[] | number>

export function filterQuery(ask: Ask, path: string[] = []): Query {
  const out: Query = {}
  for (const f of ask.filters) out[(f.not ? 'x.' : 'f.') + f.dimension] = f.values
  path.forEach((value, i) => {
    out['f.' + ask.group[i]] = [value]
  })
  return out
}

// requestOrder returns the order in which the service returns the rows of a level. The service cannot sort by the names of values or
// by formulas. For such an order it returns the rows with the most clicks first, and the page sorts them.
export function requestOrder(ask: Ask, level = 0): string {
  const order = orderAt(ask, level)
  return isFigure(order) || (timely.includes(ask.group[level]!) && !sortedFormula(order)) ? order : '-clicks'
}

// questionOf returns the query for the rows below a path. For a flat table it asks for all dimensions at once.
export function questionOf(ask: Ask, path: string[]): Query {
  const level = ask.flat ? 0 : path.length,
    dimension = ask.group[level]!,
    isTime = timely.includes(dimension)
  const out: Query = {
    ...windowQuery(),
    dimension: ask.flat ? ask.group.join(',') : dimension,
    sort: requestOrder(ask, level),
    limit: ask.flat || isTime ? 5000 : 1000,
    ...filterQuery(ask, path),
  }
  if (compares.value) out.compare = 'previous'
  if (ask.least) out.min_clicks = ask.least
  if (ask.having.length) out.having = textOf(ask.having)
  return out
}

const collator = new Intl.Collator(language, { numeric: true })

// inOrder sorts rows by the names of their values if the report has that order. Otherwise it returns the rows unchanged.
export function inOrder(rows: PerformanceRow[], ask: Ask, dimensions: string[], level: number, labels: Performance['labels']) {
  const order = orderAt(ask, level),
    sign = order[0] === '-' ? -1 : 1
  if (isFigure(order) || sortedFormula(order) || (timely.includes(dimensions[0]!) && dimensions.length === 1)) return rows
  const keyed = rows.map(row => ({ row, keys: dimensions.map(d => keyText(d, row.dims[d]!, labels)) }))
  keyed.sort((a, b) => {
    for (let i = 0; i < dimensions.length; i++) {
      const x = a.keys[i]!,
        y = b.keys[i]!
      if (x !== y) return !x ? 1 : !y ? -1 : collator.compare(x, y) * (i ? 1 : sign)
    }
    return 0
  })
  return keyed.map(k => k.row)
}
const keyText = (dimension: string, value: string, labels: Performance['labels']) =>
  value === '' || timely.includes(dimension) ? value : valueText(dimension, value, labels)

function timeText(dimension: string, value: string) {
  switch (dimension) {
    case 'date':
      return dateOf(Date.parse(value), undefined, 'UTC')
    case 'hour':
      return dateTime(value.replace(' ', 'T') + (value.length > 19 ? '' : 'Z'))
    case 'hour_of_day':
      return value.padStart(2, '0') + ':00'
  }
  return value
}

export function valueText(dimension: string, value: string, labels: Performance['labels']): string {
  if (value === '') return t.absent[dimension] ?? t.unknown
  const name = labels[dimension]?.[value]
  if (name) return name
  if (dimension === 'country') return country(value)
  if (dimension === 'day_of_week') return t.weekdays[+value] ?? value
  if (timely.includes(dimension)) return timeText(dimension, value)
  if (dimension === 'passed_reason') return t.trace.reasons[value] ?? value
  if (dimension === 'status') return t.figures.names[(value === 'chargeback' ? 'chargebacks' : value) as Name] ?? value
  if (dimension === 'goal' && value === '(plain)') return t.reports.plainGoal
  if (dimension === 'goal' && /^\(+plain\)$/.test(value)) return value.slice(1) // a goal that is named like the value above
  if (dimension === 'device_type') return t.devices[value] ?? value
  if (dimension.endsWith('_id')) return t.gone
  return value
}
