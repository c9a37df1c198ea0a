// The query of a report: grouping, filters, columns and order. The address holds all of it.
import { usual, names, type Name } from './figures.ts'
import { country } from './format.ts'
import { change, place } from './router.ts'
import { t } from './text.ts'
import { compares, windowQuery } from './window.ts'
import type { Calls, Performance, ViewReport } from '../api.gen.ts'

export type Dimension = Calls['GET /reports/values']['query']['dimension']
export type Filter = { dimension: string; not: boolean; values: string[] }
// Ask is a report: what it groups by, what it shows, and the places of the tree that are open. least is the smallest number of clicks
// of a row.
export type Ask = { group: string[]; filters: Filter[]; least: number; columns: Name[]; sort: string; flat: boolean; open: string[] }

export const mostDimensions = 5
const usualGroup = 'campaign_id,country,device_type'

// asked returns the report that the address asks for.
export function asked(): Ask {
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
    columns: columns.length ? columns : usual,
    sort: q.get('sort') ?? '-clicks',
    flat: q.get('flat') === '1',
    open: q.getAll('o'),
  }
}

export const setGroup = (group: string[]) => change({ g: group.join(',') === usualGroup ? null : group.join(','), o: null })
export const setSort = (sort: string) => change({ sort: sort === '-clicks' ? null : sort }, true)
export const setColumns = (columns: Name[]) => change({ c: columns.join() === usual.join() ? null : columns.join() }, true)
export const setFilter = (f: Filter) => change({ [(f.not ? 'x.' : 'f.') + f.dimension]: f.values.length ? f.values : null })
export const setOpen = (open: string[]) => change({ o: open }, true)

// reportOf returns the part of a report that a saved view stores.
export const reportOf = (ask: Ask): ViewReport => ({
  group: ask.group,
  filters: ask.filters.map(({ dimension, values, not }) => ({ dimension, values, not })),
  columns: ask.columns.join() === usual.join() ? [] : ask.columns,
  sort: ask.sort,
  flat: ask.flat,
  min_clicks: ask.least,
})

// setReport shows the report of a saved view. The window stays. All other settings of the report in the address are replaced.
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
      sort: r.sort && r.sort !== '-clicks' ? r.sort : null,
      flat: r.flat ? '1' : null,
      min: r.min_clicks ? String(r.min_clicks) : null,
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

// questionOf returns the query for the rows below a path. For a flat table it asks for all dimensions at once.
export function questionOf(ask: Ask, path: string[]): Query {
  const out: Query = {
    ...windowQuery(),
    dimension: ask.flat ? ask.group.join(',') : ask.group[path.length]!,
    sort: ask.sort,
    limit: ask.flat ? 5000 : 1000,
    ...filterQuery(ask, path),
  }
  if (compares.value) out.compare = 'previous'
  if (ask.least) out.min_clicks = ask.least
  return out
}

export function valueText(dimension: string, value: string, labels: Performance['labels']): string {
  if (value === '') return t.absent[dimension] ?? t.unknown
  const name = labels[dimension]?.[value]
  if (name) return name
  if (dimension === 'country') return country(value)
  if (dimension === 'day_of_week') return t.weekdays[+value] ?? value
  if (dimension === 'device_type') return t.devices[value] ?? value
  if (dimension.endsWith('_id')) return t.gone
  return value
}
