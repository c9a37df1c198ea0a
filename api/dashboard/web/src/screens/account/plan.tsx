import { useMemo, useState } from 'preact/hooks'
import type { PlanDetail, PlanUsageAnswer } from '../../api.gen.ts'
import { TableSwitch } from '../../parts/button.tsx'
import { Card, Fact } from '../../parts/card.tsx'
import { dateOf } from '../../core/dates.ts'
import { count, short } from '../../core/format.ts'
import { zone } from '../../core/me.ts'
import { use } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { iso, midnight, plus, type Day } from '../../core/window.ts'
import { AsTable, Legend, Plot, type Series } from '../../parts/plot.tsx'
import { LoadingCard } from '../../parts/state.tsx'
import { planWords as w } from '../../text/account.ts'

// dayAt returns the day of a date or time that the service has sent, such as 2026-11-28.
const dayAt = (text: string): Day => {
  const [y, m, d] = text.slice(0, 10).split('-').map(Number)
  return { y: y!, m: m!, d: d! }
}
const dayText = (text: string) => dateOf(Date.parse(text.slice(0, 10)), undefined, 'UTC')

export function Plan() {
  const { data, error, again } = use('GET /plan/usage', {}, 300)
  if (!data) return <LoadingCard of={{ error, again }} height={300} />
  return (
    <div class="grid">
      <Clicks of={data} />
      <div class="grid pair atop">
        <Uses of={data.detail} />
        <Limits of={data} />
      </div>
    </div>
  )
}

function plotOf(d: PlanDetail, limit: number | null): { times: number[]; series: Series[] } {
  const first = dayAt(d.daily[0]?.date ?? d.resetsAt),
    last = plus(dayAt(d.resetsAt), -1),
    days: Day[] = []
  for (let day = first; day.m === first.m && iso(day) <= iso(last); day = plus(day, 1)) days.push(day)
  const n = d.daily.length,
    used = d.daily.reduce<number[]>((sums, o) => [...sums, (sums.at(-1) ?? 0) + o.clicks], []),
    left = Math.max(1, days.length - n),
    now = used.at(-1) ?? 0
  // toward returns a straight line: it begins today at the clicks so far, and reaches the number `end` on the last day of the month.
  const toward = (end: number | null) => days.map((_, i) => (end === null || i < n - 1 ? null : now + ((end - now) * (i - n + 1)) / left))
  const f = d.forecast,
    dashed = (name: string, values: (number | null)[], colour: string): Series => ({ name, kind: 'count', colour, values, dash: true })
  const soFar = days.map((_, i) => used[i] ?? null),
    series: Series[] = [
      { name: w.soFar, kind: 'count', colour: '--s-clicks', values: soFar, fill: true },
      dashed(w.forecast, toward(f.clicks), '--s-clicks'),
    ]
  if (f.low !== null && f.high !== null) series.push(dashed(w.low, toward(f.low), '--text-3'), dashed(w.high, toward(f.high), '--text-3'))
  if (limit !== null) series.push(dashed(w.limit, Array(days.length).fill(limit), '--bad'))
  return { times: days.map(day => midnight(day, zone.value)), series }
}

function Clicks({ of: data }: { of: PlanUsageAnswer }) {
  const [asTable, setAsTable] = useState(false),
    d = data.detail,
    { used, limit } = d.plan.clicks,
    f = d.forecast
  const plot = useMemo(() => plotOf(d, limit), [d, limit])
  const summary = w.summary(used, count(used), count(f.clicks), limit === null ? w.unlimited : count(limit))
  return (
    <section class="card">
      <header>
        <h2>{t.nav.clicksMonth}</h2>
        <Legend of={plot.series} />
        <span class="grow" />
        <TableSwitch on={asTable} set={setAsTable} />
      </header>
      <div class="part planhead">
        <div class="row wraps">
          <b class="big num">{count(used)}</b>
          <span class="dim">{limit === null ? w.unlimited : w.of(count(used), count(limit))}</span>
          <span class="grow" />
          <span class="tag">{data.plan}</span>
        </div>
        <p class={f.isOver ? 'bad' : f.overOn ? 'warn' : 'soft'}>
          {limit === null ? '' : f.isOver ? w.over : f.overOn ? w.overOn(dayText(f.overOn)) : w.within} {w.perDay(count(f.perDay))}
          {f.remaining !== null && ` · ${w.left(count(f.remaining))}`}
        </p>
        {f.low !== null && f.high !== null && (
          <p class="dim">
            {w.forecast}: {count(f.clicks)} ({short(f.low)} – {short(f.high)}). {w.band}
          </p>
        )}
        {f.isOver && <p class="dim">{data.pastAllowance}</p>}
      </div>
      <div class="plotpad">
        {asTable ? <AsTable label={w.plot} {...plot} hours={false} /> : <Plot label={summary} {...plot} hours={false} />}
      </div>
      <div class="statusbar">
        <span>{w.period(dayText(d.resetsAt))}</span>
      </div>
    </section>
  )
}

function Uses({ of: d }: { of: PlanDetail }) {
  const list = Object.entries({ ...d.plan, integrations: d.integrations })
  return (
    <Card title={w.allowances}>
      <ul class="list">
        {list.map(([name, u]) => {
          const share = u.limit ? (u.used / u.limit) * 100 : 0
          return (
            <li key={name}>
              <div class="grow">
                <div class="row">
                  <span class="t">{w.names[name] ?? name}</span>
                  <span class="grow" />
                  <span class="num soft">{u.limit === null ? w.noLimit(count(u.used)) : w.of(count(u.used), count(u.limit))}</span>
                </div>
                {u.limit !== null && (
                  <div class={'meter' + (share >= 100 ? ' full' : share >= 80 ? ' near' : '')}>
                    <i style={`width:${Math.min(100, share)}%`} />
                  </div>
                )}
              </div>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

// counted are the allowances that Uses shows, so Limits leaves them out.
const counted = ['campaigns', 'offers', 'landers', 'domains', 'webhooks', 'integrations']

// Limits shows the other limits of the plan, and the features that it includes.
function Limits({ of: data }: { of: PlanUsageAnswer }) {
  const limits = Object.entries(data.allowances).filter(([name]) => w.names[name] && !counted.includes(name))
  return (
    <Card title={w.others}>
      <dl class="facts part limits">
        {limits.map(([name, n]) => (
          <Fact name={w.names[name]} value={n === null ? w.unlimited : count(n)} look="num" />
        ))}
        {Object.entries(data.includes).map(([name, on]) => (
          <Fact name={w.features[name] ?? name} value={on ? t.conditions.yes : t.conditions.no} />
        ))}
      </dl>
    </Card>
  )
}
