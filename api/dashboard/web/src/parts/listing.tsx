import type { ComponentChildren } from 'preact'
import type { FigureRow, PerformanceRow } from '../api.gen.ts'
import { changeOf, names, profit, restOf, text, totalsOf, type Name } from '../core/figures.ts'
import { count } from '../core/format.ts'
import { groupsOf, matchingRows, tagsOf, viewed, type Listed } from '../core/listing.ts'
import { change, place } from '../core/router.ts'
import { t } from '../core/text.ts'
import { ColumnMenu } from './column_menu.tsx'
import { Icon } from './icons.tsx'
import { List, type Common } from './list.tsx'
import type { Column } from './table.tsx'

export type { Action, Bulk } from './list.tsx'
// Rest returns the text for a number of clicks that belong to no record, and for their profit.
export type Rest = (clicks: number, shown: string, profit: string) => string
type Props<R extends Listed> = Common<R> & {
  figures: Name[] // the list is ordered by the first, which is also shown on a phone, next to profit
  sums?: Name[] // figures that are added up below the list if they are shown; default: the figures that `summed` lists
  // account holds the account's totals. They are shown below the list instead of the sums of its rows, if the list is complete and has
  // no filters. The text `rest` then says which part of the totals belongs to no record, and `sums` adds to `summed`.
  account?: { totals: FigureRow; rest: Rest; restHint: string }
  path: (r: R) => string
  under?: (r: R) => ComponentChildren
  marks?: (r: R) => ComponentChildren
  extra?: Column<R>[]
  compared?: Map<string, PerformanceRow> // by the id of a record: its figures in the window and in the window before
}

const summed: Name[] = ['clicks', 'cost', 'revenue', 'profit', 'roi']
// Since shows how a figure differs from the window before.
function Since({ name, row }: { name: Name; row?: PerformanceRow }) {
  const c = row && changeOf(name, row, row.compare ?? undefined)
  return c?.text ? <small class={'block wide ' + c.tone}>{c.text}</small> : null
}

const figureColumn = <R extends Listed>(name: Name, phone: boolean, compared?: Map<string, PerformanceRow>): Column<R> => ({
  name,
  label: t.figures.names[name],
  sort: true,
  phone,
  kind: name === 'profit' ? 'profit' : '',
  cell: r => (
    <>
      {name === 'profit' ? (
        <span class={r.profit < 0 ? 'bad' : r.profit > 0 ? 'good' : 'dim'}>{profit(r.profit)}</span>
      ) : r[name] === 0 ? (
        <span class="dim">{text(r, name)}</span>
      ) : (
        text(r, name)
      )}
      <Since name={name} row={compared?.get(r.id)} />
    </>
  ),
})

// chosen returns the figures in the address, or the usual figures of the list.
const chosen = (usual: Name[]) => {
  const list = (place.value.query.get('c') ?? '').split(',').filter(n => names.includes(n as Name)) as Name[]
  return list.length ? list : usual
}

function Columns({ on, usual }: { on: Name[]; usual: Name[] }) {
  const toggle = (n: Name) => {
    const next = on.includes(n) ? on.filter(o => o !== n) : names.filter(o => o === n || on.includes(o))
    if (next.length) change({ c: next.join() === usual.join() ? null : next.join() }, true)
  }
  return <ColumnMenu class="wide" on={on} toggle={toggle} />
}

// Listing shows a list of records with their figures in the window.
export function Listing<R extends Listed>(p: Props<R>) {
  const usual = '-' + p.figures[0],
    figures = chosen(p.figures),
    option = (value: string) => ({ value, label: value }),
    view = viewed(usual),
    account = p.whole && !view.q && !view.status && !view.group && !view.tag ? p.account : undefined,
    sums = account ? [...summed, ...(p.sums ?? [])] : (p.sums ?? summed)
  return (
    <List
      {...p}
      shown={p.rows && matchingRows(p.rows, view)}
      usual={usual}
      filters={[
        { name: 'group', label: t.lists.group, every: t.lists.everyGroup, options: groupsOf(p.rows ?? []).map(option) },
        { name: 'tag', label: t.lists.tag, every: t.lists.everyTag, options: tagsOf(p.rows ?? []).map(option) },
      ]}
      beside={<Columns on={figures} usual={p.figures} />}
      nameOf={r => r.name}
      first={r => <Named row={r} path={p.path(r)} under={p.under?.(r)} marks={p.marks?.(r)} />}
      columns={[...(p.extra ?? []), ...figures.map(n => figureColumn<R>(n, n === p.figures[0] || n === 'profit', p.compared))]}
      foot={rows => <Sums rows={rows} whole={p.whole} account={account} figures={figures.filter(n => sums.includes(n))} />}
    />
  )
}

type NamedProps = { row: Listed; path: string; under?: ComponentChildren; marks?: ComponentChildren }
const Named = ({ row: r, path, under, marks }: NamedProps) => (
  <span class="named">
    <span class="row">
      {r.is_pinned && (
        <span class="dim pinned" title={t.lists.pinned}>
          <Icon name="pin" />
        </span>
      )}
      <a class="name" href={path} title={r.name}>
        {r.name}
      </a>
      {r.tags.slice(0, 3).map(g => (
        <span key={g} class="tag wide">
          {g}
        </span>
      ))}
    </span>
    <small class="dim beneath">
      <span class="cut" title={[r.group_name, under].filter(o => typeof o === 'string' && o).join(' · ')}>
        {[r.group_name, under].filter(Boolean).map((o, i) => (
          <>
            {i > 0 && ' · '}
            {o}
          </>
        ))}
      </span>
      {marks}
    </small>
  </span>
)

type SumsProps = { rows: Listed[]; whole: boolean; account?: Props<Listed>['account']; figures: Name[] }
function Sums({ rows, whole, account, figures }: SumsProps) {
  const sum = account?.totals ?? totalsOf(rows),
    rest = account && restOf(account.totals, rows)
  return (
    <>
      <span>{whole ? t.lists.rows(rows.length, count(rows.length)) : t.lists.first(count(rows.length))}</span>
      <span class="grow" />
      {account && rest && (rest.clicks !== 0 || rest.profit !== 0) && (
        <span class="num wide dim" title={account.restHint}>
          {account.rest(rest.clicks, count(rest.clicks), profit(rest.profit))}
        </span>
      )}
      {figures.map(n => (
        <span key={n} class="num wide">
          {t.figures.names[n]} <b>{n === 'profit' ? profit(sum.profit) : text(sum, n)}</b>
        </span>
      ))}
    </>
  )
}
