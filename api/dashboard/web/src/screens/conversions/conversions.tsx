import type { Calls, ConversionRow } from '../../api.gen.ts'
import { dateOf, dateTime } from '../../core/dates.ts'
import { amount, count, hourOf } from '../../core/format.ts'
import { tone } from '../../core/log.ts'
import { use } from '../../core/query.ts'
import { isTest } from '../../core/test_id.ts'
import { change, place, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { setupWords } from '../../text/setup.ts'
import { span } from '../../core/window.ts'
import { Seg } from '../../parts/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Log } from '../../parts/log.tsx'
import type { Column } from '../../parts/table.tsx'
import { Two } from '../../parts/two.tsx'
import { ConversionSheet } from './sheet.tsx'

const w = t.conversions,
  live = 15 // seconds between requests for new conversions
const keys = [
  { key: 'J K', text: w.next },
  { key: 'O', text: w.open },
  { key: '/', text: w.find },
]

// Conversions shows the log of conversions, newest first, with the payout and the status of each.
export function Conversions() {
  const status = (place.value.query.get('status') ?? '') as (Calls['GET /logs/conversions']['query']['status'] & string) | ''
  return (
    <Log
      row="GET /logs/conversions"
      query={status ? { status } : {}}
      every={() => live}
      otherID="conversion_id"
      at="conversion"
      label={w.title}
      find={w.find}
      keys={keys}
      columns={columns}
      nameOf={nameOf}
      filtered={status !== ''}
      choice={
        <Seg
          label={w.which}
          value={status}
          options={[{ value: '', label: t.lists.all }, ...Object.entries(w.statuses).map(([value, label]) => ({ value, label }))]}
          on={v => change({ status: v || null }, true)}
        />
      }
      beside={<UnmatchedLink />}
      note={w.byTime}
      empty={{ title: w.empty, filtered: w.emptyFiltered, more: w.emptyMore }}
      sheet={(_, step, close, row) => row && <ConversionSheet key="sheet" of={row} close={close} step={step} />}
    />
  )
}

const nameOf = (r: ConversionRow) => r.conversion_id || r.click_id

// UnmatchedLink shows the number of postbacks in the window that found no click, and links to them.
function UnmatchedLink() {
  const { data } = use('GET /logs/postbacks', { from: span.value.from, to: span.value.to, result: 'unmatched', limit: 100 }, 60),
    n = data?.rows.length ?? 0
  return n > 0 ? (
    <a class="btn quiet" href={to('/app/unmatched')}>
      <span class="warn row">
        <Icon name="warn" />
      </span>
      {w.unmatched(n, n === 100 ? '100+' : count(n))}
    </a>
  ) : null
}

const columns: Column<ConversionRow>[] = [
  {
    name: 'at',
    label: t.overview.time,
    left: true,
    phone: true,
    width: 110,
    cell: r => (
      <span class={r.invalid_time ? 'warn' : ''} title={r.invalid_time ? w.badTime(r.invalid_time, r.time_reason) : undefined}>
        <Two a={hourOf(Date.parse(r.recorded_at))} b={dateOf(Date.parse(r.recorded_at))} />
      </span>
    ),
  },
  {
    name: 'offer',
    label: t.dimensions.offer_id,
    left: true,
    phone: true,
    kind: 'first',
    cell: r => <Two a={r.offer_name ?? (r.offer_id ? t.gone : '')} b={r.campaign_name ?? t.gone} />,
  },
  {
    name: 'status',
    label: w.status,
    left: true,
    phone: true,
    width: 184,
    cell: r => {
      const note =
        r.updated_at > r.recorded_at && Date.parse(r.updated_at) - Date.parse(r.recorded_at) > 60_000
          ? w.changed(dateTime(r.updated_at))
          : r.original_status && r.original_status !== r.status
            ? w.word(r.original_status)
            : ''
      return (
        <span class="named">
          <span class={'tag ' + tone(r.status)}>{w.statuses[r.status] ?? r.status}</span>
          {note && (
            <small class="dim cut wide" title={note}>
              {note}
            </small>
          )}
        </span>
      )
    },
  },
  {
    name: 'id',
    label: w.id,
    left: true,
    cell: r => <Two a={r.conversion_id} b={isTest(r.conversion_id) ? setupWords.test.marked : r.goal} mono />,
  },
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
        {(r.rate === null && r.currency) || r.amount_reason ? (
          <span class="warn" title={r.amount_reason ?? w.uncounted}>
            {amount(r.payout, r.currency)}
          </span>
        ) : (
          <b>{amount(r.payout, r.currency)}</b>
        )}
      </span>
    ),
  },
]
