import { useRef } from 'preact/hooks'
import type { Calls, NetworkRow, PostbackRow } from '../../api.gen.ts'
import { canWrite } from '../../core/can.ts'
import { choicesOf, useCampaigns, useNetworks, useSources, type Option } from '../../core/choices.ts'
import { dateOf } from '../../core/dates.ts'
import { count, hourOf } from '../../core/format.ts'
import { useKeys } from '../../core/keys.ts'
import { isClickID, useLog } from '../../core/log.ts'
import { change, place, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { iso, plus, span, today, windowOf } from '../../core/window.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Seg, Select } from '../../parts/form.tsx'
import { Foot, LogRows, SearchBox } from '../../parts/log.tsx'
import { Empty } from '../../parts/state.tsx'
import { stepsOf } from '../../parts/stepper.tsx'
import type { Column } from '../../parts/table.tsx'
import { missingOf, Untold } from '../../parts/untold.tsx'
import { Two } from '../../parts/two.tsx'
import { w } from '../../text/postbacks.ts'
import { Tag } from './postback_parts.tsx'
import { ReceivedSheet } from './received.tsx'
import { ResendFailed, SentSheet } from './sent.tsx'
import { PostbackSheet } from './unmatched_sheet.tsx'
import { w as said } from '../../text/reasons.ts'

const live = 10, // seconds between requests for new postbacks
  retained = 90 // days for which the largest plan keeps postbacks; a search looks through all of them
const keys = [
  { key: 'J K', text: w.move },
  { key: 'O', text: w.openKey },
  { key: 'R', text: w.replayKey },
  { key: '/', text: w.find },
]
type Direction = 'in' | 'out'
type Query = Calls['GET /logs/postbacks']['query']
const filterNames = ['state', 'source', 'network', 'campaign', 'find'] as const

// results lists the results that a direction has, in the order of the filter.
const results: Record<Direction, string[]> = {
  in: ['matched', 'unmatched', 'refused', 'duplicate', 'ignored', 'accepted'],
  out: ['failed', 'pending', 'told', 'skipped'],
}

// queryOf returns the query of the log for the filters in the address.
function queryOf(q: URLSearchParams, direction: Direction): Query {
  const find = q.get('find'),
    { tz } = span.value,
    window = find ? windowOf(`${iso(plus(today(tz), 1 - retained))}_${iso(today(tz))}`, tz) : span.value
  return {
    direction,
    from: window.from,
    to: window.to,
    ...(q.get('state') ? { result: q.get('state') as Query['result'] } : {}),
    ...(q.get('network') ? { network: q.get('network')! } : {}),
    ...(q.get('campaign') ? { campaign: q.get('campaign')! } : {}),
    ...(direction === 'out' && q.get('source') ? { source: q.get('source')! } : {}),
    ...(find ? { [isClickID(find) ? 'click_id' : 'transaction']: find } : {}),
  }
}

// Postbacks shows the log of postbacks, received from networks or sent to traffic sources.
export function Postbacks() {
  const q = place.value.query,
    direction: Direction = q.get('dir') === 'out' ? 'out' : 'in',
    open = q.get('postback'),
    networks = useNetworks() as NetworkRow[] | undefined,
    sources = useSources(direction === 'out'),
    search = useRef<HTMLInputElement>(null)
  const log = useLog('GET /logs/postbacks', queryOf(q, direction), live),
    at = log.rows?.findIndex(r => r.id === open) ?? -1,
    shown = log.rows?.[at],
    show = (id: string | null) => change({ postback: id }, true),
    filtered = filterNames.some(n => q.get(n))
  useKeys(keys, e => {
    if (e.key === '/') {
      search.current?.focus()
      return true
    }
  })
  const source = q.get('source') ?? '',
    sheet = {
      network: networks?.find(n => n.id === shown?.network_id),
      close: () => show(null),
      step: stepsOf(log.rows, at, r => show(r.id)),
    }
  return (
    <>
      <div class="line filters">
        <Seg
          label={w.direction}
          value={direction}
          options={(['in', 'out'] as const).map(value => ({ value, label: w.directions[value] }))}
          on={v => change({ dir: v === 'out' ? v : null, state: null, source: null, postback: null })}
        />
        <SearchBox label={w.find} of={search} />
        <FilterSelects direction={direction} networks={networks} sources={sources} />
        <span class="grow" />
        {direction === 'in' && q.get('state') === 'unmatched' && <Link href={to('/app/unmatched')} text={w.inbox} />}
        {direction === 'out' && canWrite() && (
          <ResendFailed source={source} name={sources?.find(s => s.id === source)?.name ?? w.every.source} />
        )}
      </div>
      <section class="card report lists clicklog even">
        <LogRows
          log={log}
          label={t.rooms.postbacks}
          columns={direction === 'out' ? sentColumns : receivedColumns}
          nameOf={r => r.sent?.conversion_reference || r.query || r.id}
          height={44}
          late={300}
          show={r => show(r.id)}
          empty={
            <Empty title={filtered ? w.emptyFiltered : w.empty[direction]}>
              {filtered ? (
                <Button onClick={() => change(Object.fromEntries(filterNames.map(n => [n, null])))} text={t.reports.clearFilters} />
              ) : (
                <>
                  <p class="dim">{w.emptyMore[direction]}</p>
                  {direction === 'out' &&
                    sources?.filter(s => s.status === 'active' && missingOf(s).length > 0).map(s => <Untold key={s.id} of={s} />)}
                </>
              )}
            </Empty>
          }
        />
        <Foot loaded={log.rows?.length ?? 0} end={log.end} />
      </section>
      {!shown ? null : shown.sent ? (
        <SentSheet key={shown.id} of={shown} {...sheet} />
      ) : shown.result === 'unmatched' ? (
        <PostbackSheet key={shown.id} of={shown} {...sheet} />
      ) : (
        <ReceivedSheet key={shown.id} of={shown} {...sheet} />
      )}
    </>
  )
}

type FiltersProps = { direction: Direction; networks?: NetworkRow[]; sources?: { id: string; name: string; status: string }[] }

function FilterSelects({ direction, networks, sources }: FiltersProps) {
  const q = place.value.query,
    campaigns = choicesOf(useCampaigns())
  const one = (name: keyof typeof w.every, options: Option[] | undefined) => (
    <Select
      label={w.every[name]}
      value={q.get(name) ?? ''}
      options={[{ value: '', label: w.every[name] }, ...(options ?? [])]}
      on={v => change({ [name]: v || null, postback: null }, true)}
    />
  )
  return (
    <>
      {one(
        'state',
        results[direction].map(value => ({ value, label: w.results[value]! })),
      )}
      {direction === 'out' && one('source', choicesOf(sources))}
      {one('network', choicesOf(networks))}
      {one('campaign', campaigns)}
    </>
  )
}

const timeColumn: Column<PostbackRow> = {
  name: 'at',
  label: t.overview.time,
  left: true,
  phone: true,
  width: 110,
  cell: r => <Two a={hourOf(Date.parse(r.at))} b={dateOf(Date.parse(r.at))} />,
}
const stateColumn: Column<PostbackRow> = {
  name: 'state',
  label: t.lists.status,
  left: true,
  phone: true,
  width: 120,
  cell: r => <Tag of={r} />,
}

const sentColumns: Column<PostbackRow>[] = [
  timeColumn,
  {
    name: 'source',
    label: t.dimensions.source_id!,
    left: true,
    phone: true,
    kind: 'first',
    cell: r => <Two a={r.sent!.source_name || t.gone} b={r.campaign_name || t.gone} />,
  },
  {
    name: 'about',
    label: w.about,
    left: true,
    cell: r => (
      <Two
        a={[t.conversions.statuses[r.sent!.status] ?? r.sent!.status, r.sent!.goal].filter(Boolean).join(' · ')}
        b={r.sent!.conversion_reference}
      />
    ),
  },
  stateColumn,
  {
    name: 'answer',
    label: w.answer,
    left: true,
    cell: r =>
      r.sent!.attempts ? (
        <Two a={r.sent!.http_status ? String(r.sent!.http_status) : w.noAnswer} b={r.result === 'told' ? '' : said.of(r.reason)} />
      ) : r.reason ? (
        <Two a={said.of(r.reason)} b="" />
      ) : (
        <span class="dim">—</span>
      ),
  },
  {
    name: 'attempts',
    label: w.attempts,
    width: 130,
    cell: r => <Two a={count(r.sent!.attempts)} b={r.sent!.next_attempt_at ? w.nextAt(hourOf(Date.parse(r.sent!.next_attempt_at))) : ''} />,
  },
]

const receivedColumns: Column<PostbackRow>[] = [
  timeColumn,
  {
    name: 'from',
    label: t.conversions.from,
    left: true,
    phone: true,
    kind: 'first',
    cell: r => <Two a={r.network_name || (t.conversions.came[r.source] ?? r.source)} b={r.campaign_name || r.ip} />,
  },
  stateColumn,
  { name: 'why', label: w.why, left: true, cell: r => <Two a={said.of(r.reason) || '—'} b={said.of(r.amount_reason ?? '')} /> },
  {
    name: 'request',
    label: w.request,
    left: true,
    cell: r => <Two a={r.query} b={t.unmatched.toFrom(r.domain, r.ip)} mono />,
  },
]
