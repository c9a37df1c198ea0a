import { useState } from 'preact/hooks'
import type { SmartlinkAnswer } from '../../api.gen.ts'
import { call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { ago } from '../../core/dates.ts'
import { count } from '../../core/format.ts'
import { asWritten } from '../../core/idn.ts'
import { viewed } from '../../core/listing.ts'
import { touches, useAll } from '../../core/query.ts'
import { change, place, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { w } from '../../text/smartlinks.ts'
import { copy } from '../../parts/copy.tsx'
import { List, type Action } from '../../parts/list.tsx'
import { Ask } from '../../parts/sheet.tsx'
import type { Column } from '../../parts/table.tsx'
import { failed, toastAndReload, toast } from '../../core/toast.ts'
import { Smartlink } from './sheet.tsx'

const usual = '-clicks' // the order if the address names none
const nameOf = (l: SmartlinkAnswer) => l.name || l.slug
const orders: Record<string, (l: SmartlinkAnswer) => string | number> = {
  name: l => nameOf(l).toLowerCase(),
  clicks: l => l.clicks,
  rules: l => l.rule_count,
  last: l => l.last_click_at ?? '',
}

// matchingSmartlinks returns the smartlinks that match the search and the filters, in order.
function matchingSmartlinks(rows: SmartlinkAnswer[], source: string | null) {
  const { q, status, sort } = viewed(usual),
    text = q.trim().toLowerCase(),
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

const show = (id: string | null) => change({ id }, true)

async function setActive(l: SmartlinkAnswer, on: boolean) {
  try {
    await call('PATCH /short-links', { body: { id: l.id, is_active: on } })
    toast(on ? w.resumed(nameOf(l)) : w.paused(nameOf(l)), { undo: () => setActive(l, !on) })
  } catch (e) {
    failed(e)
  }
  touches('short-links')
}

const clone = (l: SmartlinkAnswer) =>
  call('POST /short-links/{id}/clone', { path: { id: l.id } }).then(made => {
    toastAndReload(w.cloned(nameOf(l)), 'short-links')
    show(made.id)
  }, failed)

const columns: Column<SmartlinkAnswer>[] = [
  { name: 'clicks', label: t.figures.names.clicks, sort: true, phone: true, cell: l => count(l.clicks) },
  { name: 'rules', label: w.rules, sort: true, cell: l => count(l.rule_count) },
  { name: 'source', label: t.campaigns.source, left: true, cell: l => l.source_name ?? <span class="dim">—</span> },
  { name: 'last', label: w.last, sort: true, cell: l => (l.last_click_at ? ago(l.last_click_at) : <span class="dim">{w.never}</span>) },
]

const Name = ({ of: l }: { of: SmartlinkAnswer }) => (
  <span class="named">
    <a class="name cut block" href={to('/app/smartlinks', { id: l.id })} title={nameOf(l)}>
      {nameOf(l)}
    </a>
    <small class="dim cut">{asWritten(l.url.replace(/^https?:\/\//, ''))}</small>
  </span>
)

// Smartlinks lists the smartlinks, short links whose rules choose the destination.
export function Smartlinks() {
  const list = useAll('GET /short-links', {}),
    open = place.value.query.get('id'),
    openLink = list.rows?.find(l => l.id === open),
    may = canWrite(),
    [removing, setRemoving] = useState<SmartlinkAnswer | null>(null)
  const actions: Action<SmartlinkAnswer>[] = [
    { label: may ? w.edit : t.campaigns.openIt, on: l => show(l.id) },
    { label: t.campaigns.copyLink, key: 'y', on: l => void copy(l.url, w.copied) },
  ]
  if (may)
    actions.push(
      { label: t.lists.pause, key: 'p', on: l => void setActive(l, false), if: l => l.is_active },
      { label: t.lists.resume, key: 'p', on: l => void setActive(l, true), if: l => !l.is_active },
      { label: t.lists.clone, on: l => void clone(l) },
      { label: t.lists.remove, on: setRemoving, danger: true },
    )
  const sources = new Map((list.rows ?? []).filter(l => l.source_id).map(l => [l.source_id!, l.source_name ?? '']))
  return (
    <>
      <List
        {...list}
        label={t.rooms.smartlinks}
        shown={list.rows && matchingSmartlinks(list.rows, place.value.query.get('source'))}
        usual={usual}
        filters={[
          {
            name: 'source',
            label: t.campaigns.source,
            every: w.bySource,
            options: [...sources].map(([value, label]) => ({ value, label })),
          },
        ]}
        nameOf={nameOf}
        first={l => <Name of={l} />}
        columns={columns}
        open={l => show(l.id)}
        setActive={may ? (l, on) => void setActive(l, on) : undefined}
        actions={actions}
        add={may ? { label: w.add, on: () => show('new'), letter: true } : undefined}
        empty={{ title: w.empty, more: w.emptyMore }}
        foot={rows => (
          <>
            <span>{list.whole ? w.rows(rows.length, count(rows.length)) : t.lists.first(count(rows.length))}</span>
            <span class="grow" />
            <span class="wide">
              <kbd>Y</kbd> {t.campaigns.copyLink}
            </span>
          </>
        )}
        tall
      />
      {open && (open === 'new' || openLink) && <Smartlink key={open} of={open === 'new' ? null : openLink!} close={() => show(null)} />}
      {removing && (
        <Ask
          title={t.exports.removeOf(nameOf(removing))}
          text={w.removeText}
          go={t.lists.remove}
          danger
          name={nameOf(removing)}
          close={() => setRemoving(null)}
          on={() =>
            call('DELETE /short-links', { query: { id: removing.id } }).then(() => {
              toastAndReload(recordWords.removed(nameOf(removing)), 'short-links')
              if (open === removing.id) show(null)
            })
          }
        />
      )}
    </>
  )
}
