import { useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { ApiError } from '../core/call.ts'
import { names, profit, text, totalsOf, type Name } from '../core/figures.ts'
import { count } from '../core/format.ts'
import { groupsOf, setView, shownOf, tagsOf, viewed, type Listed, type View } from '../core/listing.ts'
import { useKeys, type Key } from '../core/keys.ts'
import { change, place } from '../core/router.ts'
import { t } from '../core/text.ts'
import { Seg, Select, Switch } from './form.tsx'
import { Icon } from './icons.tsx'
import { Item, Menu } from './menu.tsx'
import { Bone, Empty, Failed, Late } from './state.tsx'
import { Table, type Column } from './table.tsx'
import { useRowHeight } from './virtual.ts'

export type Action<R> = { key?: string; label: string; on: (r: R) => void; if?: (r: R) => boolean; danger?: boolean }
export type Bulk<R> = { label: string; on: (rows: R[]) => void; menu?: (rows: R[], close: () => void) => ComponentChildren }
type Props<R extends Listed> = {
  label: string
  rows: R[] | undefined
  whole: boolean
  error?: ApiError
  again: () => void
  archived?: boolean
  figures: Name[] // the list is ordered by the first, which is also shown on a phone, next to profit
  sums?: Name[] // figures that are added up below the list; default: all that can be added up
  path: (r: R) => string
  open: (r: R) => void
  under?: (r: R) => ComponentChildren
  marks?: (r: R) => ComponentChildren
  extra?: Column<R>[]
  setActive?: (r: R, on: boolean) => void
  actions: Action<R>[]
  bulk: Bulk<R>[]
  add?: { label: string; on: () => void }
  empty: { title: string; more: string }
  keys?: Key[]
}

const summed: Name[] = ['clicks', 'cost', 'revenue', 'profit', 'roi']
const figureColumn = <R extends Listed>(name: Name, phone: boolean): Column<R> => ({
  name,
  label: t.figures.names[name],
  sort: true,
  phone,
  kind: name === 'profit' ? 'profit' : '',
  cell: r =>
    name === 'profit' ? (
      <span class={r.profit < 0 ? 'bad' : r.profit > 0 ? 'good' : 'dim'}>{profit(r.profit)}</span>
    ) : r[name] === 0 ? (
      <span class="dim">{text(r, name)}</span>
    ) : (
      text(r, name)
    ),
})

// chosen returns the figures in the address, or the usual figures of the list.
const chosen = (usual: Name[]) => {
  const list = (place.value.query.get('c') ?? '').split(',').filter(n => names.includes(n as Name)) as Name[]
  return list.length ? list : usual
}

function Columns({ on, usual }: { on: Name[]; usual: Name[] }) {
  const turn = (n: Name) => {
    const next = on.includes(n) ? on.filter(o => o !== n) : names.filter(o => o === n || on.includes(o))
    if (next.length) change({ c: next.join() === usual.join() ? null : next.join() }, true)
  }
  return (
    <Menu
      name={t.reports.columns}
      class="wide"
      label={
        <>
          <Icon name="columns" />
          {t.reports.columns} <span class="dim">{on.length}</span>
        </>
      }>
      {() => (
        <>
          {names.map(n => (
            <Item key={n} pressed={on.includes(n)} on={() => turn(n)}>
              <span style={on.includes(n) ? '' : 'visibility:hidden'}>
                <Icon name="check" />
              </span>
              {t.figures.names[n]}
            </Item>
          ))}
        </>
      )}
    </Menu>
  )
}

// Listing shows a list of records with their figures in the window. It has a search, filters, an order, and actions on several
// records at once.
export function Listing<R extends Listed>(p: Props<R>) {
  const usual = '-' + p.figures[0],
    v = viewed(usual),
    view = (v: Partial<View>) => setView(v, usual),
    figures = chosen(p.figures),
    [selected, setSelected] = useState<Set<string>>(new Set()),
    search = useRef<HTMLInputElement>(null),
    height = useRowHeight()
  const rows = p.rows && shownOf(p.rows, v),
    picked = (rows ?? []).filter(r => selected.has(r.id))
  const filtered = v.q !== '' || v.status !== '' || v.group !== '' || v.tag !== ''
  useKeys(
    [
      { key: '/', text: t.parts.filterKey },
      ...(p.add ? [{ key: 'N', text: p.add.label }] : []),
      { key: '↑ ↓', text: t.reports.move },
      { key: '↵', text: t.palette.open },
      { key: 'Space', text: t.parts.selectKey },
      ...p.actions.filter(a => a.key).map(a => ({ key: a.key!.toUpperCase(), text: a.label })),
    ],
    e => {
      if (e.key === '/') {
        search.current?.focus()
        return true
      }
      if (e.key === 'n' && p.add) {
        p.add.on()
        return true
      }
      if (e.key === 'Escape' && selected.size) {
        setSelected(new Set())
        return true
      }
    },
  )
  const columns: Column<R>[] = [
    {
      name: 'name',
      label: t.overview.name,
      sort: true,
      left: true,
      phone: true,
      kind: 'first',
      cell: r => <Named row={r} path={p.path(r)} under={p.under?.(r)} marks={p.marks?.(r)} />,
    },
    {
      name: 'status',
      label: t.lists.status,
      left: true,
      phone: true,
      kind: 'state',
      cell: r =>
        r.status === 'archived' ? (
          <span class="tag">{t.lists.states.archived}</span>
        ) : (
          <Switch on={r.status === 'active'} label={t.lists.activeOf(r.name)} disabled={!p.setActive} set={on => p.setActive?.(r, on)} />
        ),
    },
    ...(p.extra ?? []),
    ...figures.map(n => figureColumn<R>(n, n === p.figures[0] || n === 'profit')),
    {
      name: 'acts',
      label: '',
      phone: true,
      kind: 'more',
      cell: r => (
        <Menu
          kind="btn sm quiet icon"
          name={t.lists.actionsOf(r.name)}
          label={
            <>
              <Icon name="more" />
              <span class="hidden">{t.lists.actionsOf(r.name)}</span>
            </>
          }>
          {close => (
            <>
              {p.actions
                .filter(a => !a.if || a.if(r))
                .map(a => (
                  <Item
                    key={a.label}
                    on={() => {
                      close()
                      a.on(r)
                    }}>
                    <span class={a.danger ? 'bad' : ''}>{a.label}</span>
                    {a.key && (
                      <>
                        <span class="grow" />
                        <kbd>{a.key.toUpperCase()}</kbd>
                      </>
                    )}
                  </Item>
                ))}
            </>
          )}
        </Menu>
      ),
    },
  ]
  const press = (key: string, r: R) => {
    const a = p.actions.find(o => o.key === key && (!o.if || o.if(r)))
    a?.on(r)
    return !!a
  }
  if (p.rows && p.rows.length === 0 && p.whole)
    return (
      <section class="card">
        <Empty title={p.empty.title}>
          <p class="dim">{p.empty.more}</p>
          {p.add && (
            <button type="button" class="btn primary" onClick={p.add.on}>
              <Icon name="plus" />
              {p.add.label}
            </button>
          )}
        </Empty>
      </section>
    )
  const states = [
    { value: '', label: t.lists.all },
    { value: 'active', label: t.lists.states.active! },
    { value: 'paused', label: t.lists.states.paused! },
    ...(p.archived ? [{ value: 'archived', label: t.lists.states.archived! }] : []),
  ]
  return (
    <>
      <div class="line filters">
        <span class="input searchbox">
          <Icon name="search" />
          <input
            ref={search}
            type="search"
            aria-label={t.lists.searchIn(p.label)}
            placeholder={t.reports.search}
            value={v.q}
            onInput={e => view({ q: e.currentTarget.value })}
            onKeyDown={e => {
              if (e.key === 'Escape') e.currentTarget.blur()
            }}
          />
          <kbd class="wide">/</kbd>
        </span>
        <Seg label={t.lists.status} value={v.status} options={states} on={status => view({ status })} />
        {p.rows && groupsOf(p.rows).length > 0 && (
          <Select
            label={t.lists.group}
            value={v.group}
            options={[{ value: '', label: t.lists.everyGroup }, ...groupsOf(p.rows).map(g => ({ value: g, label: g }))]}
            on={group => view({ group })}
          />
        )}
        {p.rows && tagsOf(p.rows).length > 0 && (
          <Select
            label={t.lists.tag}
            value={v.tag}
            options={[{ value: '', label: t.lists.everyTag }, ...tagsOf(p.rows).map(g => ({ value: g, label: g }))]}
            on={tag => view({ tag })}
          />
        )}
        <span class="grow" />
        <Columns on={figures} usual={p.figures} />
        {p.add && (
          <button type="button" class="btn primary" onClick={p.add.on}>
            <Icon name="plus" />
            {p.add.label}
          </button>
        )}
      </div>
      <section class="card report lists">
        {p.error && !p.rows ? (
          <Failed error={p.error} again={p.again} />
        ) : !rows ? (
          <Waiting />
        ) : rows.length === 0 ? (
          <Empty title={t.lists.nothing}>
            {filtered && (
              <button type="button" class="btn" onClick={() => change({ q: null, status: null, group: null, tag: null })}>
                {t.reports.clearFilters}
              </button>
            )}
          </Empty>
        ) : (
          <Table
            label={p.label}
            rows={rows}
            columns={columns}
            keyOf={r => r.id}
            nameOf={r => r.name}
            height={height}
            sort={v.sort}
            onSort={sort => view({ sort })}
            selected={p.bulk.length ? selected : undefined}
            onSelect={p.bulk.length ? setSelected : undefined}
            onOpen={p.open}
            onKey={press}
            rowClass={r => (r.status === 'active' ? '' : 'faded')}
          />
        )}
        {rows && rows.length > 0 && <Foot rows={rows} whole={p.whole} figures={figures.filter(n => (p.sums ?? summed).includes(n))} />}
      </section>
      {picked.length > 0 && (
        <div class="savebar" role="status">
          <span>
            <b>{t.lists.selected(picked.length)}</b>
          </span>
          {p.bulk.map(b =>
            b.menu ? (
              <Menu
                key={b.label}
                kind="btn sm"
                name={b.label}
                label={
                  <>
                    {b.label}
                    <Icon name="down" />
                  </>
                }>
                {close =>
                  b.menu!(picked, () => {
                    close()
                    setSelected(new Set())
                  })
                }
              </Menu>
            ) : (
              <button
                key={b.label}
                type="button"
                class="btn sm"
                onClick={() => {
                  b.on(picked)
                  setSelected(new Set())
                }}>
                {b.label}
              </button>
            ),
          )}
          <button type="button" class="btn sm quiet" onClick={() => setSelected(new Set())}>
            {t.parts.cancel}
          </button>
        </div>
      )}
    </>
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
      <span class="cut">
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

const Waiting = () => (
  <Late>
    {[0, 1, 2, 3, 4, 5].map(i => (
      <div key={i} class="row waiting">
        <Bone w={180 + ((i * 23) % 60)} />
        <span class="grow" />
        <Bone w={54} />
        <Bone w={54} />
        <Bone w={54} />
      </div>
    ))}
  </Late>
)

function Foot({ rows, whole, figures }: { rows: Listed[]; whole: boolean; figures: Name[] }) {
  const sum = totalsOf(rows)
  return (
    <div class="statusbar">
      <span>{whole ? t.lists.rows(rows.length, count(rows.length)) : t.lists.first(count(rows.length))}</span>
      <span class="grow" />
      {figures.map(n => (
        <span key={n} class="num wide">
          {t.figures.names[n]} <b>{n === 'profit' ? profit(sum.profit) : text(sum, n)}</b>
        </span>
      ))}
    </div>
  )
}
