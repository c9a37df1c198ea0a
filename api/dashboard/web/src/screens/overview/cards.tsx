import type { Performance, PerformanceRow } from '../../api.gen.ts'
import { Card } from '../../parts/card.tsx'
import { Sign } from '../../parts/icons.tsx'
import { isReal, rounded } from '../../core/figures.ts'
import { count, country, money, percent, short } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { compares, days, type Window, windowQuery } from '../../core/window.ts'
import { Failed } from '../../parts/state.tsx'

const lately = 30 // minutes

// RightNow shows the visitors of the last 30 minutes, and up to five of the campaigns that they are in.
export function RightNow() {
  const live = use('GET /stats/live', { minutes: lately }, 5),
    data = live.data
  const minutes = data?.per_minute ?? [],
    most = Math.max(1, ...minutes.map(m => m.views)),
    last = minutes.slice(-6, -1),
    mean = last.length ? last.reduce((n, m) => n + m.views, 0) / last.length : 0,
    pace = mean < 10 ? mean : Math.round(mean)
  const list = data?.campaigns.slice(0, 5) ?? [],
    top = Math.max(1, ...list.map(c => c.visitors))
  return (
    <Card
      title={t.overview.rightNow}
      beside={
        data && (
          <span class="live">
            <i />
            {t.overview.visitors(data.visitors, count(data.visitors))}
          </span>
        )
      }>
      {live.error && !data && <Failed error={live.error} again={live.again} />}
      <div class="bars">
        <svg viewBox={`0 0 ${lately * 10} 48`} class="plot" role="img" aria-label={t.overview.byMinute(lately)} preserveAspectRatio="none">
          {minutes.map((m, i) => (
            <rect
              key={m.at}
              x={i * 10}
              width="8"
              y={46 - (m.views / most) * 44}
              height={Math.max(1, (m.views / most) * 44)}
              rx="1.5"
              fill="var(--s-clicks)"
              opacity={i === minutes.length - 1 ? 1 : 0.45}
            />
          ))}
        </svg>
        <div class="row dim fine">
          <span>{t.overview.minutesAgo(lately)}</span>
          <span class="grow" />
          <span>{t.overview.pace(pace, short(pace))}</span>
        </div>
      </div>
      <div class="places">
        {data && list.length === 0 && <p class="dim none">{t.overview.nobody}</p>}
        {list.map(c => (
          <a class="barline" key={c.id} href={to(`/app/campaigns/${c.id}/figures`)}>
            <i style={`--share:${c.visitors / top}`} />
            <span class="cut">{c.name ?? t.gone}</span>
            <span class="grow" />
            <b class="num">{count(c.visitors)}</b>
          </a>
        ))}
      </div>
    </Card>
  )
}

// BotLine says how many clicks of a window were bots, which the figures leave out.
export const BotLine = ({ clicks, bots }: { clicks: number; bots: number }) =>
  bots > 0 ? (
    <p class="botline dim fine">
      {t.overview.bots(bots, count(bots), count(clicks + bots))}{' '}
      <a class="link" href={to('/app/clicks')}>
        {t.overview.botsLook}
      </a>
    </p>
  ) : null

const movers = ['source_id', 'offer_id', 'lander_id', 'country'] as const
type Move = { key: string; name: string; what: string; gap: number; row: PerformanceRow }

// label returns the name of the record that a row is about.
export const label = (data: Performance, dimension: string, row: PerformanceRow) =>
  data.labels[dimension]?.[row.dims[dimension]!] ?? (row.dims[dimension] || (t.absent[dimension] ?? t.unknown))

// Changed shows the records whose profit has changed most, by more than chance.
export function Changed({ campaigns, w }: { campaigns?: Performance; w: Window }) {
  const query = (dimension: string) => (compares.value ? { ...windowQuery(w), compare: 'previous', dimension, limit: 100 } : null)
  const reports = [campaigns, ...movers.map(d => use('GET /reports/performance', query(d)).data)]
  const list: Move[] = []
  for (const data of reports)
    for (const row of compares.value ? (data?.rows ?? []) : []) {
      const was = row.compare,
        dimension = data!.dimensions[0]!
      // A row without a value has visitors without such a record, for example those who reached no offer.
      if (!was || !row.dims[dimension] || !isReal('profit', row, was)) continue
      const value = row.dims[dimension]!,
        name = dimension === 'country' && value ? country(value) : label(data!, dimension, row)
      list.push({ key: dimension + value, name, what: t.dimensions[dimension]!, gap: row.profit - was.profit, row })
    }
  list.sort((a, b) => Math.abs(b.gap) - Math.abs(a.gap))
  const moves = [...list.filter(m => m.gap > 0).slice(0, 3), ...list.filter(m => m.gap < 0).slice(0, 3)].slice(0, 5)
  return (
    <section class="card">
      <header>
        <h2>{t.overview.changed}</h2>
        {compares.value && <span class="dim fine">{t.overview.against(days(w.span))}</span>}
      </header>
      <ul class="list">
        {moves.map(m => (
          <li key={m.key}>
            <Sign name={m.gap > 0 ? 'up' : 'down'} tone={m.gap > 0 ? 'good' : 'bad'} />
            <div class="grow">
              <div class="t">
                {m.what} {m.name}
              </div>
              <div class="d">{cause(m.row)}</div>
            </div>
            <b class={'num ' + (m.gap > 0 ? 'good' : 'bad')}>{rounded(m.gap)}</b>
          </li>
        ))}
        {moves.length === 0 && (
          <li>
            <div class="grow">
              <div class="d">{compares.value ? t.overview.noChange : t.overview.noCompare}</div>
            </div>
          </li>
        )}
      </ul>
    </section>
  )
}

// cause names the figure that has changed the profit most: the clicks, the conversion rate, the revenue per conversion, or the
// cost per click. If the profit fell and no click converted, it says only that.
function cause(row: PerformanceRow): string {
  const was = row.compare!,
    each = (r: { revenue: number; approved: number }) => (r.approved ? r.revenue / r.approved : 0),
    earned = Math.max(row.revenue, was.revenue)
  if (!row.conversions && row.clicks && row.profit < was.profit) return t.overview.cause.noConversion(row.clicks, count(row.clicks))
  const ratio = (a: number, b: number) => (a > 0 && b > 0 ? Math.abs(Math.log(a / b)) : a === b ? 0 : 9)
  const sales = [
    { by: ratio(row.cr ?? 0, was.cr ?? 0) * earned, text: () => t.overview.cause.cr(percent(was.cr), percent(row.cr)) },
    {
      by: row.approved && was.approved ? ratio(each(row), each(was)) * earned : 0,
      text: () => t.overview.cause.payout(money(each(was)), money(each(row))),
    },
  ]
  const causes = [
    ...(row.conversions ? sales : []),
    { by: ratio(row.clicks, was.clicks) * Math.abs(was.profit), text: () => t.overview.cause.clicks(count(was.clicks), count(row.clicks)) },
    { by: ratio(row.cpc ?? 0, was.cpc ?? 0) * was.cost, text: () => t.overview.cause.cost(money(was.cpc, 3), money(row.cpc, 3)) },
  ]
  return causes.sort((a, b) => b.by - a.by)[0]!.text()
}
