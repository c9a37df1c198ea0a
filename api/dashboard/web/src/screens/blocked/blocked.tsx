import { useState } from 'preact/hooks'
import type { BlockList, BlockedValue } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { mostAtOnce, undoing } from '../../core/blocks.ts'
import { useBusy } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { useCampaigns, useSources } from '../../core/choices.ts'
import { ago, dateTime } from '../../core/dates.ts'
import { count } from '../../core/format.ts'
import { touches, use, useAll } from '../../core/query.ts'
import { valueText } from '../../core/report.ts'
import { change, place, to } from '../../core/router.ts'
import { dimensionName } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { toast } from '../../core/toast.ts'
import { Copy } from '../../parts/copy.tsx'
import { Select } from '../../parts/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Empty, Loading } from '../../parts/state.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { w } from '../../text/blocks.ts'

const mostBlocked = 50_000 // maximum number of blocked values of an account

const whereOf = (o: { scope: string; name: string }) => (o.scope === 'account' ? w.everywhere : o.name || t.gone)

type Listed = Pick<BlockList, 'scope' | 'scope_id' | 'dimension'>

// useNames returns a function that returns the name of a dimension of blocked values. If the values are blocked in one campaign or
// source, it is the name that this campaign or source gives to the dimension.
function useNames() {
  const records = [...(useCampaigns() ?? []), ...(useSources() ?? [])]
  return (o: Listed) => dimensionName(o.dimension, records.find(r => r.id === o.scope_id)?.sub_names)
}

// Blocked lists the blocked values, each with its author, its time, and where it is blocked: everywhere, or in one campaign or source.
export function Blocked() {
  const list = place.value.query.get('list') ?? '',
    q = place.value.query.get('q') ?? '',
    lists = use('GET /blocks/lists', {}),
    values = useAll('GET /blocks', { ...(list ? { list } : {}), ...(q ? { q } : {}) }),
    [selected, setSelected] = useState<Set<string>>(new Set()),
    [shownText, setShownText] = useState(false),
    [busy, run] = useBusy(),
    nameOf = useNames(),
    may = canWrite()
  const allow = (ids: string[]) =>
    run(async () => {
      const done = await call('POST /blocks/remove', { body: { ids: ids.slice(0, mostAtOnce) } })
      touches('blocks')
      setSelected(new Set())
      toast(w.allowed(done.allowed, count(done.allowed)), { undo: undoing([done.id]) })
    })
  if (lists.data?.lists.length === 0)
    return (
      <section class="card">
        <Empty title={w.empty} more={w.emptyMore}>
          <Link look="primary" href={to('/app/reports', { g: 'sub1' })} text={w.toReport} />
        </Empty>
      </section>
    )
  const total = lists.data?.lists.reduce((n, l) => n + l.count, 0)
  return (
    <>
      <div class="line filters">
        <span class="input searchbox">
          <Icon name="search" />
          <input
            type="search"
            aria-label={w.search}
            placeholder={w.search}
            value={q}
            onInput={e => change({ q: e.currentTarget.value || null }, true)}
          />
        </span>
        <Lists of={lists.data?.lists ?? []} value={list} nameOf={nameOf} />
        {total !== undefined && <span class="dim">{w.count(total, count(total), count(mostBlocked))}</span>}
        <span class="grow" />
        {list && <Button onClick={() => setShownText(true)} icon="copy" text={w.asText} />}
      </div>
      <section class="card report lists">
        {!values.rows ? (
          <Loading of={values} height={220} />
        ) : values.rows.length === 0 ? (
          <Empty title={t.lists.nothing}>
            <Button onClick={() => change({ list: null, q: null })} text={t.reports.clearFilters} />
          </Empty>
        ) : (
          <Table
            label={w.title}
            rows={values.rows}
            columns={columnsOf(nameOf, may ? id => void allow([id]) : undefined)}
            keyOf={r => r.id}
            nameOf={r => r.value}
            selected={may ? selected : undefined}
            onSelect={may ? setSelected : undefined}
            tall
          />
        )}
      </section>
      {selected.size > 0 && (
        <div class="savebar" role="status">
          <b>{t.lists.selected(selected.size)}</b>
          <Button look="sm primary" disabled={busy} onClick={() => void allow([...selected])} text={w.allow} />
          <Button look="sm quiet" onClick={() => setSelected(new Set())} text={t.parts.cancel} />
        </div>
      )}
      {shownText && <ListText id={list} close={() => setShownText(false)} />}
    </>
  )
}

const columnsOf = (nameOf: (o: Listed) => string, allow?: (id: string) => void): Column<BlockedValue>[] => [
  {
    name: 'value',
    label: w.value,
    left: true,
    phone: true,
    kind: 'first',
    cell: r => (
      <span class="cut block" title={r.value}>
        {valueText(r.dimension, r.value, {})}
      </span>
    ),
  },
  { name: 'dimension', label: t.reports.group, left: true, width: 150, cell: r => nameOf(r) },
  {
    name: 'where',
    label: w.where,
    left: true,
    phone: true,
    kind: 'where',
    cell: r => (
      <span class="cut block" title={whereOf(r)}>
        {whereOf(r)}
      </span>
    ),
  },
  { name: 'who', label: w.by, left: true, width: 170, cell: r => r.who },
  { name: 'since', label: w.since, left: true, width: 140, cell: r => <span title={dateTime(r.created_at)}>{ago(r.created_at)}</span> },
  {
    name: 'acts',
    label: '',
    phone: true,
    kind: 'more',
    cell: r =>
      allow && <Button look="sm quiet icon" aria-label={w.allowOf(r.value)} title={w.allow} onClick={() => allow(r.id)} icon="trash" />,
  },
]

const Lists = ({ of, value, nameOf }: { of: BlockList[]; value: string; nameOf: (o: Listed) => string }) => (
  <Select
    label={w.lists}
    value={value}
    options={[
      { value: '', label: w.all },
      ...of.map(l => ({ value: l.id, label: w.listed(l.count, count(l.count), nameOf(l), whereOf(l)) })),
    ]}
    on={v => change({ list: v || null }, true)}
  />
)

// ListText shows all values of a list, to paste at the traffic source.
function ListText({ id, close }: { id: string; close: () => void }) {
  const nameOf = useNames(),
    answer = use('GET /blocks/lists/{id}', {}, 0, { id }),
    d = answer.data
  return (
    <Sheet title={d ? w.textOf(nameOf(d), whereOf(d)) : w.asText} close={close} short>
      <div class="body">
        {!d ? (
          <Loading of={answer} height={160} style="" />
        ) : (
          <>
            <p>
              {d.source ? w.paste(d.source) : w.pasteAnywhere} {d.parameter && w.parameter(d.parameter, d.macro)}
            </p>
            <Copy lines label={w.title} text={d.values.join('\n')} />
          </>
        )}
      </div>
    </Sheet>
  )
}
