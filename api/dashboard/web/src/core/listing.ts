// The view of a list: search, state, group, tag and order. The address holds all of it.
import type { FigureRow } from '../api.gen.ts'
import { names, type Name } from './figures.ts'
import { change, place } from './router.ts'

export type Listed = {
  id: string
  name: string
  status: string
  group_name: string
  tags: string[]
  created_at: string
  notes?: string
  is_pinned?: boolean
  alias?: string
  url?: string
} & FigureRow
export type View = { q: string; status: string; group: string; tag: string; sort: string }

export function viewed(usual: string): View {
  const q = place.value.query
  return {
    q: q.get('q') ?? '',
    status: q.get('status') ?? '',
    group: q.get('group') ?? '',
    tag: q.get('tag') ?? '',
    sort: q.get('sort') ?? usual,
  }
}

export const setView = (v: Partial<View>, usual: string) =>
  change(
    Object.fromEntries(Object.entries(v).map(([k, value]) => [k, value === '' || (k === 'sort' && value === usual) ? null : value])),
    true,
  )

// matchingRows returns the rows of a view in its order, pinned rows first. Archived rows are left out unless the view asks for them.
export function matchingRows<R extends Listed>(rows: R[], v: View): R[] {
  const text = v.q.trim().toLowerCase()
  const out = rows.filter(
    r =>
      (v.status ? r.status === v.status : r.status !== 'archived') &&
      (!v.group || r.group_name === v.group) &&
      (!v.tag || r.tags.includes(v.tag)) &&
      (!text || [r.name, r.alias, r.url, r.group_name, ...r.tags].some(o => o?.toLowerCase().includes(text))),
  )
  const by = v.sort.replace('-', ''),
    sign = v.sort[0] === '-' ? -1 : 1
  const value = (r: R): string | number =>
    by === 'name'
      ? r.name.toLowerCase()
      : by === 'created_at'
        ? r.created_at
        : names.includes(by as Name)
          ? (r[by as Name] ?? -Infinity)
          : (r.clicks ?? 0)
  return out.sort(
    (a, b) =>
      Number(!!b.is_pinned) - Number(!!a.is_pinned) ||
      compare(value(a), value(b)) * sign ||
      compare(a.name.toLowerCase(), b.name.toLowerCase()),
  )
}
const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)

export const groupsOf = (rows: Listed[]) => [...new Set(rows.map(r => r.group_name).filter(Boolean))].sort()
export const tagsOf = (rows: Listed[]) => [...new Set(rows.flatMap(r => r.tags))].sort()

// inBatches calls the function `each` with every item of a list, four items at a time.
export async function inBatches<T>(list: T[], each: (item: T) => Promise<unknown>): Promise<unknown[]> {
  const wrong: unknown[] = [],
    left = [...list]
  await Promise.all(
    [0, 1, 2, 3].map(async () => {
      for (let one = left.shift(); one !== undefined; one = left.shift())
        await each(one).catch(e => {
          wrong.push(e)
        })
    }),
  )
  return wrong
}
