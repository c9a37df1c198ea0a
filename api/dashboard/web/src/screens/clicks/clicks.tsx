import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ClickRow } from '../../api.gen.ts'
import { ApiError, asError } from '../../core/call.ts'
import { country, dayOf, hourOf, money } from '../../core/format.ts'
import { useKeys } from '../../core/keys.ts'
import { ask as fetchRows } from '../../core/query.ts'
import { asked, filterQuery, type Ask } from '../../core/report.ts'
import { change, place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { span } from '../../core/window.ts'
import { Seg, Switch } from '../../parts/form.tsx'
import { LogFoot } from '../../parts/log_foot.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Empty, Failed, Late } from '../../parts/state.tsx'
import { stepsOf } from '../../parts/stepper.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { ClickSheet } from './sheet.tsx'
import { Filters } from '../../parts/filters.tsx'
import type { TabProps } from '../../core/campaign.ts'

const page = 200,
  most = 5000,
  every = 5000 // rows of a request, rows that are kept, ms between requests for new rows

export const Clicks = () => <Log />
export const CampaignClicks = ({ detail }: TabProps) => <Log campaign={detail.campaign.id} />

const keys = [
  { key: 'J K', text: t.clicks.next },
  { key: 'O', text: t.clicks.openIt },
  { key: '/', text: t.clicks.find },
]

// useClicks loads the log page by page, and asks for new clicks while live is on.
function useClicks(query: Record<string, string | string[] | number>, live: boolean) {
  const key = JSON.stringify(query),
    [state, setState] = useState<{ key: string; rows?: ClickRow[]; end?: boolean; error?: ApiError }>({ key: '' }),
    busy = useRef(false),
    [reloads, setReloads] = useState(0)
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const first = () =>
      fetchRows('GET /logs/clicks', { ...query, limit: page }, stop.signal).then(
        ({ rows }) =>
          setState(now => {
            const old = now.key === key ? (now.rows ?? []) : [],
              known = new Set(old.map(r => r.click_id)),
              fresh = rows.filter(r => !known.has(r.click_id)),
              changed = new Map(rows.map(r => [r.click_id, r]))
            return {
              key,
              rows: [...fresh, ...old.map(r => changed.get(r.click_id) ?? r)].slice(0, most),
              end: old.length ? now.end : rows.length < page,
            }
          }),
        e => {
          if (!stop.signal.aborted) setState(now => ({ ...now, key, error: asError(e), rows: now.key === key ? now.rows : undefined }))
        },
      )
    const loop = () => {
      if (live) timer = setTimeout(() => void (document.hidden ? Promise.resolve() : first()).then(loop), every)
    }
    void first().then(loop)
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- key holds the query
  }, [key, live, reloads])
  const more = () => {
    const rows = state.rows
    if (state.key !== key || !rows || state.end || busy.current || rows.length >= most) return
    busy.current = true
    fetchRows('GET /logs/clicks', { ...query, limit: page, offset: rows.length })
      .then(
        got =>
          setState(now => {
            if (now.key !== key) return now
            const known = new Set(now.rows!.map(r => r.click_id))
            return { ...now, rows: [...now.rows!, ...got.rows.filter(r => !known.has(r.click_id))], end: got.rows.length < page }
          }),
        () => undefined,
      )
      .finally(() => {
        busy.current = false
      })
  }
  return {
    rows: state.key === key ? state.rows : undefined,
    error: state.key === key ? state.error : undefined,
    end: !!state.end,
    more,
    again: () => setReloads(n => n + 1),
  }
}

// Log shows the click log, newest first, with the filters in the address. The details of the open click are shown next to it.
function Log({ campaign }: { campaign?: string }) {
  const q = place.value.query,
    ask: Ask = { ...asked(), least: 0 },
    open = q.get('click'),
    converted = q.get('converted') === '1',
    [live, setLive] = useState(true),
    search = useRef<HTMLInputElement>(null)
  const text = q.get('find') ?? '',
    found: Record<string, string> = text ? (/^[0-9A-Za-z]{22}$/.test(text) ? { click_id: text } : { external_id: text }) : {}
  const query = {
    from: span.value.from,
    to: span.value.to,
    ...filterQuery(ask),
    ...(campaign ? { 'f.campaign_id': [campaign] } : {}),
    ...(converted ? { converted: '1' } : {}),
    ...found,
  }
  const log = useClicks(query, live && !open),
    rows = log.rows
  const show = (id: string | null) => change({ click: id }, true)
  const step = stepsOf(rows, rows?.findIndex(r => r.click_id === open) ?? -1, r => show(r.click_id))
  useKeys(keys, e => {
    if (e.key === '/') {
      search.current?.focus()
      return true
    }
  })
  const withCampaign = !campaign,
    columns = useMemo(() => columnsOf(withCampaign), [withCampaign])
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
            aria-label={t.clicks.find}
            placeholder={t.clicks.find}
            defaultValue={text}
            key={text}
            onSearch={e => {
              if (!e.currentTarget.value) change({ find: null })
            }}
          />
          <kbd class="wide">/</kbd>
        </form>
        <Seg
          label={t.clicks.which}
          value={converted ? '1' : ''}
          options={[
            { value: '', label: t.clicks.allClicks },
            { value: '1', label: t.clicks.converted },
          ]}
          on={v => change({ converted: v || null }, true)}
        />
        <span class="grow" />
        <Switch on={live} shown label={t.clicks.live} set={setLive} />
      </div>
      <div class="filterline">
        <Filters
          ask={campaign ? { ...ask, filters: ask.filters.filter(f => f.dimension !== 'campaign_id') } : ask}
          labels={{}}
          counts={false}
        />
      </div>
      <section class="card report lists clicklog">
        {log.error && !rows ? (
          <Failed error={log.error} again={log.again} />
        ) : !rows ? (
          <Late>
            <div class="skeleton" style="height:300px;margin:14px" />
          </Late>
        ) : rows.length === 0 ? (
          <Empty title={ask.filters.length || text || converted ? t.reports.emptyFiltered : t.clicks.empty} />
        ) : (
          <Table
            label={t.clicks.title}
            rows={rows}
            columns={columns}
            keyOf={r => r.click_id}
            nameOf={r => r.click_id}
            height={44}
            onOpen={r => show(r.click_id)}
            onEnd={log.more}
            rowClass={r => (r.is_bot ? 'faded' : '')}
            tall
          />
        )}
        <LogFoot loaded={rows?.length ?? 0} end={log.end} />
      </section>
      {open && <ClickSheet key="sheet" id={open} close={() => show(null)} step={step} />}
    </>
  )
}

// Two shows a table cell with two lines. phone replaces the second line on a narrow screen.
const Two = ({ a, b, phone, mono }: { a: string; b: string; phone?: string; mono?: boolean }) => (
  <span class="named">
    <span class={'cut block' + (mono ? ' mono' : '')} title={a}>
      {a || '—'}
    </span>
    {b && (
      <small class={'dim cut' + (phone ? ' wide' : '')} title={b}>
        {b}
      </small>
    )}
    {phone && (
      <small class="dim cut onphone" title={phone}>
        {phone}
      </small>
    )}
  </span>
)

function columnsOf(all: boolean): Column<ClickRow>[] {
  const out: Column<ClickRow>[] = [
    {
      name: 'at',
      label: t.clicks.time,
      left: true,
      phone: true,
      width: 96,
      cell: r => <Two a={seconds(r.at)} b={dayOf(Date.parse(r.at))} />,
    },
    {
      name: 'from',
      label: t.clicks.from,
      left: true,
      phone: true,
      kind: 'first',
      cell: r => (
        <span class="row">
          <span class="cc">{r.country || '–'}</span>
          <Two
            a={[r.country ? country(r.country) : t.unknown, r.city].filter(Boolean).join(', ')}
            b={[t.devices[r.device_type] ?? r.device_type, r.os, r.browser].filter(Boolean).join(' · ')}
            phone={all ? [r.campaign_name ?? t.gone, t.devices[r.device_type] ?? r.device_type].filter(Boolean).join(' · ') : undefined}
          />
        </span>
      ),
    },
  ]
  if (all)
    out.push({
      name: 'campaign',
      label: t.clicks.campaign,
      left: true,
      cell: r => <Two a={r.campaign_name ?? t.gone} b={r.source_name ?? ''} />,
    })
  out.push(
    {
      name: 'to',
      label: t.clicks.to,
      left: true,
      cell: r => <Two a={r.stream_name ?? t.unknown} b={[r.lander_name, r.offer_name].filter(Boolean).join(' › ') || r.destination} />,
    },
    {
      name: 'tags',
      label: '',
      left: true,
      phone: true,
      width: 110,
      cell: r => (
        <span class="row wraps">
          {r.is_bot && (
            <span class="tag warn">
              {t.clicks.bot} {r.bot_score}
            </span>
          )}
          {r.conversions > 0 && <span class="tag good">{t.clicks.conversions(r.conversions)}</span>}
        </span>
      ),
    },
    { name: 'cost', label: t.clicks.cost, width: 90, cell: r => (r.cost ? money(r.cost, r.cost < 1 ? 4 : 2) : <span class="dim">—</span>) },
    {
      name: 'revenue',
      label: t.clicks.revenue,
      width: 90,
      cell: r => (r.revenue ? <b>{money(r.revenue)}</b> : <span class="dim">—</span>),
    },
  )
  return out
}
const seconds = (at: string) => hourOf(Date.parse(at)).replace(/(\d\d:\d\d)/, `$1:${at.slice(17, 19)}`)
