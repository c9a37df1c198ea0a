import { useRef, useState } from 'preact/hooks'
import type { SmartlinkAnswer } from '../../api.gen.ts'
import { call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { ago } from '../../core/dates.ts'
import { count } from '../../core/format.ts'
import { useKeys } from '../../core/keys.ts'
import { touches, useAll } from '../../core/query.ts'
import { change, place, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { w } from '../../text/smartlinks.ts'
import { copy } from '../../parts/copy.tsx'
import { Seg, Select, Switch } from '../../parts/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Item, Menu } from '../../parts/menu.tsx'
import { Ask } from '../../parts/sheet.tsx'
import { Empty, Failed, Late } from '../../parts/state.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { failed, toast } from '../../core/toast.ts'
import { useRowHeight } from '../../parts/virtual.ts'
import { Smartlink } from './sheet.tsx'

const nameOf = (l: SmartlinkAnswer) => l.name || l.slug
const orders: Record<string, (l: SmartlinkAnswer) => string | number> = {
  name: l => nameOf(l).toLowerCase(),
  clicks: l => l.clicks,
  rules: l => l.rule_count,
  last: l => l.last_click_at ?? '',
}

// shownOf returns the smartlinks that match the search and the filters, in order.
function shownOf(rows: SmartlinkAnswer[], q: URLSearchParams, sort: string) {
  const text = (q.get('q') ?? '').trim().toLowerCase(),
    status = q.get('status'),
    source = q.get('source'),
    by = orders[sort.replace('-', '')] ?? orders.clicks!,
    sign = sort[0] === '-' ? -1 : 1
  return rows
    .filter(
      l =>
        (!status || l.status === status) &&
        (!source || l.source_id === source) &&
        (!text || [l.name, l.slug, l.destination_url, l.notes, ...l.rules.map(r => r.name)].some(o => o.toLowerCase().includes(text))),
    )
    .sort((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0) * sign)
}

// Smartlinks lists the smartlinks, short links whose rules choose the destination.
export function Smartlinks() {
  const height = useRowHeight()
  const q = place.value.query,
    list = useAll('GET /short-links', {}),
    open = q.get('id'),
    may = canWrite(),
    search = useRef<HTMLInputElement>(null),
    [removing, setRemoving] = useState<SmartlinkAnswer | null>(null)
  const sort = q.get('sort') ?? '-clicks',
    rows = list.rows && shownOf(list.rows, q, sort),
    one = list.rows?.find(l => l.id === open)
  const show = (id: string | null) => change({ id }, true)
  const turn = async (l: SmartlinkAnswer, on: boolean) => {
    try {
      await call('PATCH /short-links', { body: { id: l.id, is_active: on } })
      toast(on ? w.resumed(nameOf(l)) : w.paused(nameOf(l)), { undo: () => turn(l, !on) })
    } catch (e) {
      failed(e)
    }
    touches('short-links')
  }
  const clone = (l: SmartlinkAnswer) =>
    call('POST /short-links/{id}/clone', { path: { id: l.id } }).then(made => {
      touches('short-links')
      toast(w.cloned(nameOf(l)))
      show(made.id)
    }, failed)
  const take = (l: SmartlinkAnswer) => void copy(l.url, w.copied)
  useKeys(
    [
      { key: '/', text: t.parts.filterKey },
      ...(may
        ? [
            { key: 'N', text: w.add },
            { key: 'P', text: w.pause },
          ]
        : []),
      { key: 'Y', text: w.copy },
      { key: '↵', text: w.open },
    ],
    e => {
      if (e.key === '/') {
        search.current?.focus()
        return true
      }
      if (e.key === 'n' && may) {
        show('new')
        return true
      }
    },
  )
  const press = (key: string, l: SmartlinkAnswer) => {
    if (key === 'y') take(l)
    else if (key === 'p' && may) void turn(l, !l.is_active)
    else return false
    return true
  }
  const columns: Column<SmartlinkAnswer>[] = [
    {
      name: 'name',
      label: w.name,
      sort: true,
      left: true,
      phone: true,
      kind: 'first',
      cell: l => (
        <span class="named">
          <a class="name cut block" href={to('/app/smartlinks', { id: l.id })} title={nameOf(l)}>
            {nameOf(l)}
          </a>
          <small class="dim cut">{l.url.replace(/^https?:\/\//, '')}</small>
        </span>
      ),
    },
    {
      name: 'status',
      label: w.status,
      left: true,
      phone: true,
      kind: 'state',
      cell: l => <Switch on={l.is_active} label={w.activeOf(nameOf(l))} disabled={!may} set={on => void turn(l, on)} />,
    },
    { name: 'clicks', label: w.clicks, sort: true, phone: true, cell: l => count(l.clicks) },
    { name: 'rules', label: w.ruleCount, sort: true, cell: l => count(l.rule_count) },
    { name: 'source', label: w.source, left: true, cell: l => l.source_name ?? <span class="dim">—</span> },
    { name: 'last', label: w.last, sort: true, cell: l => (l.last_click_at ? ago(l.last_click_at) : <span class="dim">{w.never}</span>) },
    {
      name: 'acts',
      label: '',
      phone: true,
      kind: 'more',
      cell: l => (
        <Menu
          kind="btn sm quiet icon"
          name={w.actionsOf(nameOf(l))}
          label={
            <>
              <Icon name="more" />
              <span class="hidden">{w.actionsOf(nameOf(l))}</span>
            </>
          }>
          {close => {
            const item = (text: string, on: () => void, key = '', bad = false) => (
              <Item
                on={() => {
                  close()
                  on()
                }}>
                <span class={bad ? 'bad' : ''}>{text}</span>
                {key && (
                  <>
                    <span class="grow" />
                    <kbd>{key}</kbd>
                  </>
                )}
              </Item>
            )
            return (
              <>
                {item(may ? w.edit : w.open, () => show(l.id))}
                {item(w.copy, () => take(l), 'Y')}
                {may && (
                  <>
                    {item(l.is_active ? w.pause : w.resume, () => void turn(l, !l.is_active), 'P')}
                    {item(w.clone, () => void clone(l))}
                    {item(w.remove, () => setRemoving(l), '', true)}
                  </>
                )}
              </>
            )
          }}
        </Menu>
      ),
    },
  ]
  const add = may && (
    <button type="button" class="btn primary" onClick={() => show('new')}>
      <Icon name="plus" />
      {w.add}
      <kbd class="wide">N</kbd>
    </button>
  )
  const sources = [...new Map((list.rows ?? []).filter(l => l.source_id).map(l => [l.source_id!, l.source_name ?? '']))]
  return (
    <>
      {list.rows && list.rows.length === 0 ? (
        <section class="card">
          <Empty title={w.empty}>
            <p class="dim">{w.emptyMore}</p>
            {add}
          </Empty>
        </section>
      ) : (
        <>
          <div class="line filters">
            <span class="input searchbox">
              <Icon name="search" />
              <input
                ref={search}
                type="search"
                aria-label={t.lists.searchIn(w.title)}
                placeholder={t.reports.search}
                value={q.get('q') ?? ''}
                onInput={e => change({ q: e.currentTarget.value || null }, true)}
              />
              <kbd class="wide">/</kbd>
            </span>
            <Seg
              label={w.status}
              value={q.get('status') ?? ''}
              options={[
                { value: '', label: t.lists.all },
                { value: 'active', label: t.lists.states.active! },
                { value: 'paused', label: t.lists.states.paused! },
              ]}
              on={v => change({ status: v || null }, true)}
            />
            {sources.length > 0 && (
              <Select
                label={w.source}
                value={q.get('source') ?? ''}
                options={[{ value: '', label: w.bySource }, ...sources.map(([value, label]) => ({ value, label }))]}
                on={v => change({ source: v || null }, true)}
              />
            )}
            <span class="grow" />
            {add}
          </div>
          <section class="card report lists">
            {list.error && !rows ? (
              <Failed error={list.error} again={list.again} />
            ) : !rows ? (
              <Late>
                <div class="skeleton" style="height:240px;margin:14px" />
              </Late>
            ) : rows.length === 0 ? (
              <Empty title={w.nothing}>
                <button type="button" class="btn" onClick={() => change({ q: null, status: null, source: null })}>
                  {t.reports.clearFilters}
                </button>
              </Empty>
            ) : (
              <Table
                label={w.title}
                rows={rows}
                columns={columns}
                keyOf={l => l.id}
                nameOf={nameOf}
                height={height}
                sort={sort}
                onSort={s => change({ sort: s === '-clicks' ? null : s }, true)}
                onOpen={l => show(l.id)}
                onKey={press}
                rowClass={l => (l.is_active ? '' : 'faded')}
                tall
              />
            )}
            {rows && rows.length > 0 && (
              <div class="statusbar">
                <span>{list.whole ? w.rows(rows.length, count(rows.length)) : t.lists.first(count(rows.length))}</span>
                <span class="grow" />
                <span class="wide">
                  <kbd>Y</kbd> {w.copy}
                </span>
              </div>
            )}
          </section>
        </>
      )}
      {open && (open === 'new' || one) && <Smartlink key={open} of={open === 'new' ? null : one!} close={() => show(null)} />}
      {removing && (
        <Ask
          title={w.removeTitle(nameOf(removing))}
          text={w.removeText}
          go={w.remove}
          danger
          name={nameOf(removing)}
          close={() => setRemoving(null)}
          on={() =>
            call('DELETE /short-links', { query: { id: removing.id } }).then(() => {
              touches('short-links')
              toast(w.removed(nameOf(removing)))
              if (open === removing.id) show(null)
            })
          }
        />
      )}
    </>
  )
}
