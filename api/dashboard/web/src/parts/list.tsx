import { useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import type { ApiError } from '../core/call.ts'
import type { Option } from '../core/choices.ts'
import { setView, viewed, type View } from '../core/listing.ts'
import { useKeys } from '../core/keys.ts'
import { change, place } from '../core/router.ts'
import { t } from '../core/text.ts'
import { Seg, Select, Switch } from './form.tsx'
import { Icon } from './icons.tsx'
import { Menu, RowMenu } from './menu.tsx'
import { Bone, Empty, Failed, Late, EmptyCard } from './state.tsx'
import { Table, type Column } from './table.tsx'
import { useRowHeight } from './virtual.ts'

export type Action<R> = { key?: string; label: string; on: (r: R) => void; if?: (r: R) => boolean; danger?: boolean }
// Bulk is an action on the selected rows. An action that opens a form sets `keeps`, so that the selection stays until the form is
// saved and the action calls `done`.
export type Bulk<R> = {
  label: string
  on: (rows: R[], done: () => void) => void
  keeps?: boolean
  menu?: (rows: R[], close: () => void) => ComponentChildren
}
type Row = { id: string; status: string }
// Add is the button that adds a record.
type Add = { label: string; on: () => void; letter?: boolean }
// Common has the properties of List that Listing has too.
export type Common<R> = {
  label: string
  rows: R[] | undefined
  whole: boolean
  error?: ApiError
  again: () => void
  archived?: boolean
  open: (r: R) => void
  setActive?: (r: R, on: boolean) => void
  actions: Action<R>[]
  bulk?: Bulk<R>[]
  add?: Add
  empty: { title: string; more: string }
}
// Filter is a choice next to the search.
export type Filter = { name: string; label: string; every: string; options: Option[] }
type Props<R> = Common<R> & {
  shown: R[] | undefined // the rows of the view, in its order
  usual: string // the order if the address names none
  filters: Filter[]
  beside?: ComponentChildren
  nameOf: (r: R) => string
  first: (r: R) => ComponentChildren // the cell of the name
  columns: Column<R>[]
  foot: (rows: R[]) => ComponentChildren
  tall?: boolean
}

export function List<R extends Row>(p: Props<R>) {
  const view = viewed(p.usual),
    [selected, setSelected] = useState<Set<string>>(new Set()),
    search = useRef<HTMLInputElement>(null),
    height = useRowHeight(),
    rows = p.shown,
    picked = (rows ?? []).filter(r => selected.has(r.id)),
    reset = () => setSelected(new Set())
  useKeys(
    [
      { key: '/', text: t.parts.filterKey },
      ...(p.add ? [{ key: 'N', text: p.add.label }] : []),
      { key: '↑ ↓', text: t.reports.move },
      { key: '↵', text: t.palette.open },
      ...(p.bulk ? [{ key: 'Space', text: t.parts.selectKey }] : []),
      ...p.actions.filter(a => a.key).map(a => ({ key: a.key!.toUpperCase(), text: a.label })),
    ],
    e => {
      if (e.key === '/') search.current?.focus()
      else if (e.key === 'n' && p.add) p.add.on()
      else if (e.key === 'Escape' && selected.size) reset()
      else return
      return true
    },
  )
  const press = (key: string, r: R) => {
    const action = p.actions.find(a => a.key === key && (!a.if || a.if(r)))
    action?.on(r)
    return !!action
  }
  if (p.rows && p.rows.length === 0 && p.whole)
    return (
      <EmptyCard title={p.empty.title} more={p.empty.more}>
        {p.add && <AddButton of={p.add} />}
      </EmptyCard>
    )
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
            value={view.q}
            onInput={e => setView({ q: e.currentTarget.value }, p.usual)}
            onKeyDown={e => {
              if (e.key === 'Escape') e.currentTarget.blur()
            }}
          />
          <kbd class="wide">/</kbd>
        </span>
        <Filters view={view} usual={p.usual} archived={p.archived} filters={p.filters} />
        <span class="grow" />
        {p.beside}
        {p.add && <AddButton of={p.add} />}
      </div>
      <section class="card report lists">
        {p.error && !p.rows ? (
          <Failed error={p.error} again={p.again} />
        ) : !rows ? (
          <Waiting />
        ) : rows.length === 0 ? (
          <Nothing filters={p.filters} />
        ) : (
          <Table
            label={p.label}
            rows={rows}
            columns={columnsOf(p)}
            keyOf={r => r.id}
            nameOf={p.nameOf}
            height={height}
            sort={view.sort}
            onSort={sort => setView({ sort }, p.usual)}
            selected={p.bulk?.length ? selected : undefined}
            onSelect={p.bulk?.length ? setSelected : undefined}
            onOpen={p.open}
            onKey={press}
            rowClass={r => (r.status === 'active' ? '' : 'faded')}
            tall={p.tall}
          />
        )}
        {rows && rows.length > 0 && <div class="statusbar">{p.foot(rows)}</div>}
      </section>
      {picked.length > 0 && <Selection rows={picked} bulk={p.bulk ?? []} reset={reset} />}
    </>
  )
}

const AddButton = ({ of: { label, on, letter } }: { of: Add }) => (
  <Button look="primary" onClick={on} icon="plus" text={label} letter={letter ? 'N' : undefined} />
)

type FiltersProps = { view: View; usual: string; archived?: boolean; filters: Filter[] }
const Filters = ({ view, usual, archived, filters }: FiltersProps) => (
  <>
    <Seg
      label={t.lists.status}
      value={view.status}
      options={[
        { value: '', label: t.lists.all },
        { value: 'active', label: t.lists.states.active! },
        { value: 'paused', label: t.lists.states.paused! },
        ...(archived ? [{ value: 'archived', label: t.lists.states.archived! }] : []),
      ]}
      on={status => setView({ status }, usual)}
    />
    {filters.map(
      f =>
        f.options.length > 0 && (
          <Select
            key={f.name}
            label={f.label}
            value={place.value.query.get(f.name) ?? ''}
            options={[{ value: '', label: f.every }, ...f.options]}
            on={v => change({ [f.name]: v || null }, true)}
          />
        ),
    )}
  </>
)

// `Nothing` is the message that is shown instead of rows if no record passes the filters.
function Nothing({ filters }: { filters: Filter[] }) {
  const names = ['q', 'status', ...filters.map(f => f.name)]
  return (
    <Empty title={t.lists.nothing}>
      {names.some(n => place.value.query.get(n)) && (
        <Button onClick={() => change(Object.fromEntries(names.map(n => [n, null])))} text={t.reports.clearFilters} />
      )}
    </Empty>
  )
}

const columnsOf = <R extends Row>(p: Props<R>): Column<R>[] => [
  { name: 'name', label: t.overview.name, sort: true, left: true, phone: true, kind: 'first', cell: p.first },
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
        <Switch on={r.status === 'active'} label={t.lists.activeOf(p.nameOf(r))} disabled={!p.setActive} set={on => p.setActive?.(r, on)} />
      ),
  },
  ...p.columns,
  {
    name: 'acts',
    label: '',
    phone: true,
    kind: 'more',
    cell: r => (
      <RowMenu
        name={t.lists.actionsOf(p.nameOf(r))}
        actions={p.actions
          .filter(a => !a.if || a.if(r))
          .map(a => ({ label: a.label, key: a.key?.toUpperCase(), on: () => a.on(r), bad: a.danger }))}
      />
    ),
  },
]

const Selection = <R,>({ rows, bulk, reset }: { rows: R[]; bulk: Bulk<R>[]; reset: () => void }) => (
  <div class="savebar" role="status">
    <span>
      <b>{t.lists.selected(rows.length)}</b>
    </span>
    {bulk.map(b =>
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
            b.menu!(rows, () => {
              close()
              reset()
            })
          }
        </Menu>
      ) : (
        <Button
          key={b.label}
          look="sm"
          onClick={() => {
            b.on(rows, reset)
            if (!b.keeps) reset()
          }}
          text={b.label}
        />
      ),
    )}
    <Button look="sm quiet" onClick={reset} text={t.parts.cancel} />
  </div>
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
