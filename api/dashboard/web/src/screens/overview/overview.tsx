import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import type { Performance, PerformanceRow, Trends } from '../../api.gen.ts'
import { Link, TableSwitch } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { canCreateCampaigns } from '../../core/can.ts'
import { figureName, changeOf, figures, profit, text, totalsOf, type Name } from '../../core/figures.ts'
import { formatted, spanText } from '../../core/format.ts'
import { groupingOf } from '../../core/grouping.ts'
import { typing } from '../../core/keys.ts'
import { useLazy } from '../../core/lazy.ts'
import { use, type Used } from '../../core/query.ts'
import { change, place, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { before, compares, days, plus, iso, span, type Window, windowQuery } from '../../core/window.ts'
import { Icon } from '../../parts/icons.tsx'
import { AsTable, Legend, openStep, past, Plot, type Series } from '../../parts/plot.tsx'
import { setLoaded } from '../../parts/shell.tsx'
import { Spark } from '../../parts/spark.tsx'
import { useMarks } from '../../parts/marked.tsx'
import { BotLine, Changed, label, RightNow } from './cards.tsx'
import { useFirst, type First } from './first.tsx'
import { Bone, Failed, Late, Loading, EmptyCard } from '../../parts/state.tsx'

// six are the figures at the top, in the order of the keys 1 to 6.
const six: Name[] = ['clicks', 'conversions', 'cost', 'revenue', 'profit', 'roi']
const colours: Partial<Record<Name, string>> = {
  clicks: '--s-clicks',
  conversions: '--s-conv',
  cost: '--s-cost',
  revenue: '--s-revenue',
  profit: '--s-revenue',
  roi: '--text-3',
}
// aside holds the second figure that is shown under a figure.
const aside: Partial<Record<Name, Name>> = { conversions: 'cr', cost: 'cpc', revenue: 'epc' }

// picked returns the figures of the plot from the address, two at most.
function picked(): Name[] {
  const list = (place.value.query.get('plot') ?? 'revenue,cost').split(',').filter(n => six.includes(n as Name)) as Name[]
  return list.length ? list.slice(0, 2) : ['revenue', 'cost']
}

function toggle(name: Name) {
  const now = picked()
  const next = now.includes(name) ? now.filter(n => n !== name) : [...now.slice(-1), name]
  if (next.length) change({ plot: next.join(',') === 'revenue,cost' ? null : next.join(',') }, true)
}

// stepWindow moves the window back or forward by its own length.
function stepWindow(by: 1 | -1) {
  const s = span.value.span,
    n = days(s) * by
  change({ w: `${iso(plus(s.from, n))}_${iso(plus(s.to, n))}` })
}

const compareQuery = () => (compares.value ? { compare: 'previous' } : {})

export function Overview() {
  const w = span.value
  const list = use(
    'GET /reports/performance',
    { ...windowQuery(w), ...compareQuery(), dimension: 'campaign_id', sort: '-profit', limit: 100 },
    15,
  )
  useEffect(() => {
    if (list.data) setLoaded()
  }, [list.data])
  useLayoutEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (typing(e)) return
      if (e.key >= '1' && e.key <= '6') toggle(six[+e.key - 1]!)
      else if (e.key === '[') stepWindow(-1)
      else if (e.key === ']') stepWindow(1)
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])
  const step = stepOf(w),
    bucket = step === 'day' ? 'day' : 'hour'
  const now = use('GET /reports/trends', { ...windowQuery(w), bucket }, 60)
  const previous = use('GET /reports/trends', compares.value ? { ...windowQuery(before(w)), bucket } : null)
  const nothing = list.data?.rows.length === 0,
    first = useFirst(list.data)
  return (
    <div class="grid">
      <h2 class="hidden">{t.overview.totals}</h2>
      {first.waits && <Steps of={first} />}
      <Kpis list={list} trend={now.data} />
      <Money />
      {list.data && <BotLine clicks={list.data.totals.clicks} bots={list.data.totals.bot_clicks} />}
      <div class="grid cols">
        <Over now={now} was={previous.data} step={step} choice={days(w.span) <= 14} list={list.data} />
        <RightNow />
      </div>
      {!nothing && <Later />}
      {!nothing ? (
        <Campaigns list={list} />
      ) : first.known ? (
        <EmptyCard title={t.overview.empty} more={t.overview.emptyMore}>
          {canCreateCampaigns() && <Link look="primary" href={to('/app/campaigns/new')} text={t.campaigns.add} />}
        </EmptyCard>
      ) : null}
      <div class="grid pair">
        <Needs />
        <Changed campaigns={list.data} w={w} />
      </div>
    </div>
  )
}

const steps = () => import('./steps.tsx')

// Steps loads the steps of a new account. They are in a file of their own, because an account needs them only once.
function Steps({ of }: { of: First }) {
  const module = useLazy(steps)
  return module ? <module.FirstSteps of={of} /> : null
}

const uncounted = () => import('../../parts/uncounted.tsx')

function Money() {
  const module = useLazy(uncounted)
  return module ? <module.Uncounted /> : null
}

const today = () => import('./today.tsx'),
  needs = () => import('./needs.tsx')

// `Later` loads and shows the card Today, after the parts above it.
function Later() {
  const module = useLazy(today)
  return module ? <module.Today /> : null
}

// `Needs` loads the card NeedsYou after the figures, because the card is below them.
function Needs() {
  const module = useLazy(needs)
  return module ? (
    <module.NeedsYou />
  ) : (
    <Card title={t.overview.needsYou}>
      <Bone w={160} />
    </Card>
  )
}

function Kpis({ list, trend }: { list: Used<Performance>; trend?: Trends }) {
  const on = picked(),
    data = list.data
  const sparks = useMemo(() => trend && grouped(trend), [trend])
  if (list.error && !data)
    return (
      <section class="card">
        <Failed error={list.error} again={list.again} />
      </section>
    )
  return (
    <section class="card kpis" aria-label={t.overview.totals}>
      {six.map(name => {
        const now = data?.totals,
          was = data?.totals.compare ?? undefined,
          side = aside[name]
        const c = now && changeOf(name, now, was, 1)
        return (
          <button key={name} type="button" class="kpi" aria-pressed={on.includes(name)} onClick={() => toggle(name)}>
            <span>
              {figureName(name)}
              {on.includes(name) && <i class="dot" style={`background:var(${colours[name]})`} />}
            </span>
            {now ? (
              <>
                <b>{text(now, name)}</b>
                <small>
                  {c?.text && <span class={'delta ' + (c.tone === 'dim' ? 'soft' : c.tone)}>{c.text}</span>}
                  {side && (
                    <>
                      {c?.text && ' · '}
                      {t.figures.names[side]} {text(now, side)}
                    </>
                  )}
                  {!c?.text && !side && '\u00a0'}
                </small>
              </>
            ) : (
              <Late>
                <b>
                  <Bone w={96} h={18} />
                </b>
                <small>
                  <Bone w={64} />
                </small>
              </Late>
            )}
            <Spark values={(sparks ?? []).map(r => Number(r[name] ?? 0))} colour={`var(${colours[name]})`} />
          </button>
        )
      })}
    </section>
  )
}

// grouped returns the points of a sparkline: at most thirty, for any step of the trend.
function grouped(trend: Trends) {
  const past = trend.rows.filter(r => !r.start || Date.parse(r.start) <= Date.now())
  return summed(past, Math.max(1, Math.ceil(past.length / 30)))
}

// summed merges each run of n rows into one.
function summed(rows: Trends['rows'], n: number) {
  if (n === 1) return rows
  const out: typeof rows = []
  for (let i = 0; i < rows.length; i += n) out.push({ ...rows[i]!, ...totalsOf(rows.slice(i, i + n)) })
  return out
}

const buckets = { hour: 1, six: 6, day: 1 } // how many rows of the API's trend are summed for one step of the plot
type Step = keyof typeof buckets

// stepOf returns the step of the plot: the step in the address if the window has at most 14 days, else the usual step for its length.
function stepOf(w: Window): Step {
  const n = days(w.span),
    usual = n <= 2 ? 'hour' : n <= 14 ? 'six' : 'day',
    chosen = place.value.query.get('step')
  return n <= 14 && chosen && chosen in buckets ? (chosen as Step) : usual
}

type OverProps = { now: Used<Trends>; was?: Trends; step: Step; choice: boolean; list?: Performance }

function Over({ now, was, step, choice, list }: OverProps) {
  const on = picked(),
    [asTable, setAsTable] = useState(false),
    marks = useMarks()
  const names = on.join()
  const plot = useMemo(() => {
    if (!now.data) return null
    const rows = summed(now.data.rows, buckets[step]),
      times = rows.map(r => Date.parse(r.start!))
    const values = (of: Trends, name: Name) => {
      const merged = of === now.data ? rows : summed(of.rows, buckets[step])
      return rows.map((_, i) => merged[i]?.[name] ?? null)
    }
    const right = on.length === 2 && figures[on[0]!].kind !== figures[on[1]!].kind
    const series: Series[] = on.map((name, i) => ({
      name: figureName(name),
      kind: figures[name].kind,
      colour: colours[name]!,
      values: past(times, values(now.data!, name)),
      fill: i === 0,
      right: right && i === 1,
    }))
    if (was)
      series.push({
        name: t.overview.before(figureName(on[0]!)),
        kind: figures[on[0]!].kind,
        colour: '--text-3',
        values: values(was, on[0]!),
        dash: true,
      })
    return { times, series, rows, open: openStep(times) }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `names` is the same list as `on`, as a text
  }, [now.data, was, names, step])
  const title = t.overview.plotOf(figureName(on[0]!), on[1] ? figureName(on[1]) : '')
  const summary = list ? on.map(n => t.overview.summary(figureName(n), text(list.totals, n), spanText(span.value.span))).join('; ') : title
  const money = on.includes('revenue') && on.includes('cost')
  return (
    <section class="card">
      <header>
        <h2>{title}</h2>
        <Legend of={plot?.series} open={plot?.open} />
        <span class="grow" />
        <TableSwitch on={asTable} set={setAsTable} />
        {marks.add}
        {marks.sheet}
        {choice && (
          <span class="seg" role="group" aria-label={t.overview.bucket}>
            {(Object.keys(buckets) as Step[]).map(s => (
              <button key={s} type="button" aria-pressed={step === s} onClick={() => change({ step: s }, true)}>
                {t.overview[s]}
              </button>
            ))}
          </span>
        )}
      </header>
      <div class="plotpad">
        {!plot ? (
          <Loading of={now} height={236} style="" />
        ) : asTable ? (
          <AsTable label={title} {...plot} hours={step !== 'day'} beside={marks.column} />
        ) : (
          <Plot
            label={summary}
            {...plot}
            hours={step !== 'day'}
            over={marks.layer}
            extra={money ? i => [{ name: t.figures.names.profit, text: formatted(plot.rows[i]?.profit, 'money') }] : undefined}
          />
        )}
      </div>
    </section>
  )
}

const columns: Name[] = ['clicks', 'cr', 'cost', 'revenue', 'profit', 'roi']
const shownRows = 8

function Campaigns({ list }: { list: Used<Performance> }) {
  const data = list.data,
    most = Math.max(1, ...(data?.rows ?? []).map(r => r.clicks))
  if (!data)
    return list.error ? null : (
      <Card title={t.campaigns.title}>
        <Loading of={list} height={200} style="margin:0 14px 14px" />
      </Card>
    )
  return (
    <Card
      look="clip"
      title={t.campaigns.title}
      note={t.overview.byProfit}
      beside={<a href={to('/app/reports')}>{t.overview.all(data.rows.length)}</a>}>
      <div class="scroll" tabIndex={0} role="region" aria-label={t.overview.figuresRegion}>
        <table>
          <thead>
            <tr>
              <th class="pad">{t.overview.name}</th>
              {columns.map(n => (
                <th key={n} class={n === 'profit' || n === 'roi' ? '' : 'narrow-off'} aria-sort={n === 'profit' ? 'descending' : undefined}>
                  {t.figures.names[n]}
                  {n === 'profit' && (
                    <>
                      {' '}
                      <Icon name="down" />
                    </>
                  )}
                </th>
              ))}
              {compares.value && <th class="narrow-off">{t.overview.change}</th>}
            </tr>
          </thead>
          <tbody>
            {data.rows.slice(0, shownRows).map(r => (
              <Campaign key={r.dims.campaign_id} row={r} name={label(data, 'campaign_id', r)} most={most} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

function Campaign({ row, name, most }: { row: PerformanceRow; name: string; most: number }) {
  const c = changeOf('profit', row, row.compare ?? undefined)
  return (
    <tr>
      <td class="pad strong named-cut">
        <a href={to('/app/reports', { g: groupingOf({}), 'f.campaign_id': row.dims.campaign_id! })}>{name}</a>
      </td>
      {columns.map(n =>
        n === 'clicks' ? (
          <td key={n} class="cell narrow-off">
            {text(row, n)}
            <i style={`width:${(row.clicks / most) * 80}%`} />
          </td>
        ) : n === 'profit' ? (
          <td key={n} class={'bold ' + (row.profit < 0 ? 'bad' : row.profit > 0 ? 'good' : '')}>
            {profit(row.profit)}
          </td>
        ) : (
          <td key={n} class={n === 'roi' ? '' : 'narrow-off'}>
            {text(row, n)}
          </td>
        ),
      )}
      {compares.value && (
        <td class="narrow-off">
          <span class={'delta ' + c.tone}>{c.text}</span>
        </td>
      )}
    </tr>
  )
}
