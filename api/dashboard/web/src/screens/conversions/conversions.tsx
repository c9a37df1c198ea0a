import { useRef } from 'preact/hooks'
import type { Calls, ConversionRow } from '../../api.gen.ts'
import { dateOf, dateTime } from '../../core/dates.ts'
import { amount, count, hourOf } from '../../core/format.ts'
import { useKeys } from '../../core/keys.ts'
import { tone, useLog } from '../../core/log.ts'
import { use } from '../../core/query.ts'
import { asked, filterQuery } from '../../core/report.ts'
import { change, place, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { span } from '../../core/window.ts'
import { Seg } from '../../parts/form.tsx'
import { LogFoot } from '../../parts/log_foot.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Empty, Failed, Late } from '../../parts/state.tsx'
import { stepsOf } from '../../parts/stepper.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { Two } from '../../parts/two.tsx'
import { ConversionSheet } from './sheet.tsx'
import { Filters } from '../../parts/filters.tsx'

const w = t.conversions,
  live = 15 // seconds between requests for new conversions
const keys = [
  { key: 'J K', text: w.next },
  { key: 'O', text: w.open },
  { key: '/', text: w.find },
]

// Conversions shows the log of conversions, newest first, with the amount that each counts and the reason for its status.
export function Conversions() {
  const q = place.value.query,
    ask = { ...asked(), least: 0 },
    status = (q.get('status') ?? '') as (Calls['GET /logs/conversions']['query']['status'] & string) | '',
    text = q.get('find') ?? '',
    open = q.get('conversion'),
    search = useRef<HTMLInputElement>(null)
  const found: Record<string, string> = text ? (/^[0-9A-Za-z]{22}$/.test(text) ? { click_id: text } : { conversion_id: text }) : {}
  const log = useLog(
      'GET /logs/conversions',
      { from: span.value.from, to: span.value.to, ...filterQuery(ask), ...(status ? { status } : {}), ...found },
      live,
    ),
    rows = log.rows
  const show = (id: string | null) => change({ conversion: id }, true),
    shown = rows?.find(r => r.id === open)
  const step = stepsOf(rows, rows?.findIndex(r => r.id === open) ?? -1, r => show(r.id))
  useKeys(keys, e => {
    if (e.key === '/') {
      search.current?.focus()
      return true
    }
  })
  const filtered = ask.filters.length > 0 || status !== '' || text !== ''
  return (
    <>
      <div class="line filters">
        <form
          class="input searchbox"
          onSubmit={e => {
            e.preventDefault()
            change({ find: search.current!.value.trim() || null })
          }}>
          <Icon name="search" />
          <input
            ref={search}
            type="search"
            maxLength={255}
            aria-label={w.find}
            placeholder={w.find}
            defaultValue={text}
            key={text}
            onSearch={e => {
              if (!e.currentTarget.value) change({ find: null })
            }}
          />
          <kbd class="wide">/</kbd>
        </form>
        <Seg
          label={w.which}
          value={status}
          options={[{ value: '', label: w.all }, ...Object.entries(w.statuses).map(([value, label]) => ({ value, label }))]}
          on={v => change({ status: v || null }, true)}
        />
        <span class="grow" />
        <Unfound />
      </div>
      <div class="filterline">
        <Filters ask={ask} labels={{}} counts={false} />
      </div>
      <section class="card report lists clicklog">
        {log.error && !rows ? (
          <Failed error={log.error} again={log.again} />
        ) : !rows ? (
          <Late>
            <div class="skeleton" style="height:300px;margin:14px" />
          </Late>
        ) : rows.length === 0 ? (
          <Empty title={filtered ? w.emptyFiltered : w.empty}>{!filtered && <p class="dim">{w.emptyMore}</p>}</Empty>
        ) : (
          <Table
            label={w.title}
            rows={rows}
            columns={columns}
            keyOf={r => r.id}
            nameOf={nameOf}
            height={44}
            onOpen={r => show(r.id)}
            onEnd={log.more}
            tall
          />
        )}
        <LogFoot loaded={rows?.length ?? 0} end={log.end} />
      </section>
      {shown && <ConversionSheet key="sheet" of={shown} close={() => show(null)} step={step} />}
    </>
  )
}

const nameOf = (r: ConversionRow) => r.conversion_id || r.click_id

// Unfound shows the number of postbacks in the window that found no click.
function Unfound() {
  const { data } = use('GET /logs/postbacks', { from: span.value.from, to: span.value.to, result: 'unmatched', limit: 100 }, 60),
    n = data?.rows.length ?? 0
  return n > 0 ? (
    <a class="btn quiet" href={to('/app/unmatched')}>
      <span class="warn">
        <Icon name="warn" />
      </span>
      {w.unmatched(n, n === 100 ? '100+' : count(n))}
    </a>
  ) : null
}

const columns: Column<ConversionRow>[] = [
  {
    name: 'at',
    label: w.time,
    left: true,
    phone: true,
    width: 110,
    cell: r => <Two a={hourOf(Date.parse(r.recorded_at))} b={dateOf(Date.parse(r.recorded_at))} />,
  },
  {
    name: 'offer',
    label: w.what,
    left: true,
    phone: true,
    kind: 'first',
    cell: r => <Two a={r.offer_name ?? t.gone} b={r.campaign_name ?? t.gone} />,
  },
  {
    name: 'status',
    label: w.status,
    left: true,
    phone: true,
    width: 150,
    cell: r => {
      const more =
        r.updated_at > r.recorded_at && Date.parse(r.updated_at) - Date.parse(r.recorded_at) > 60_000
          ? w.changed(dateTime(r.updated_at))
          : r.original_status && r.original_status !== r.status
            ? w.word(r.original_status)
            : ''
      return (
        <span class="named">
          <span class={'tag ' + tone(r.status)}>{w.statuses[r.status] ?? r.status}</span>
          {more && <small class="dim cut wide">{more}</small>}
        </span>
      )
    },
  },
  { name: 'id', label: w.id, left: true, cell: r => <Two a={r.conversion_id} b={r.goal} mono /> },
  {
    name: 'from',
    label: w.from,
    left: true,
    cell: r => <Two a={r.network_name ?? w.came[r.source] ?? r.source} b={r.source_name ?? ''} />,
  },
  {
    name: 'payout',
    label: w.payout,
    phone: true,
    width: 120,
    cell: r => (
      <span class="num">
        {r.rate === null && r.currency ? (
          <span class="warn" title={w.uncounted}>
            {amount(r.payout, r.currency)}
          </span>
        ) : (
          <b>{amount(r.payout, r.currency)}</b>
        )}
      </span>
    ),
  },
]
