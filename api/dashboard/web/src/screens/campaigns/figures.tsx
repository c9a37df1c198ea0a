import { useState } from 'preact/hooks'
import { Card } from '../../parts/card.tsx'
import { figureName, changeOf, isCounted, text, profit, type Name } from '../../core/figures.ts'
import { count, percent } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { valueText } from '../../core/report.ts'
import { to } from '../../core/router.ts'
import { dimensionName } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { compares, days, span, windowQuery } from '../../core/window.ts'
import { CompareCard } from '../../parts/compare.tsx'
import { Seg, Select } from '../../parts/form.tsx'
import { Empty, Failed, LoadingCard } from '../../parts/state.tsx'
import { useTrend } from '../../parts/trend.tsx'
import type { TabProps } from '../../core/campaign.ts'

const totals: Name[] = ['clicks', 'conversions', 'cost', 'revenue', 'profit', 'roi']
const columns: Name[] = ['clicks', 'conversions', 'cr', 'cost', 'revenue', 'profit', 'roi']

// CampaignFigures shows the figures of a campaign in the window: totals, a plot over time, a table by path, offer, landing page,
// country, device or sub-parameter, and a comparison. A funnel shows the last days up to today: as many days as the window has, at
// most 365.
export function CampaignFigures({ detail: { campaign: c } }: TabProps) {
  const [groupBy, setGroupBy] = useState('stream_id')
  const subs = Object.keys(c.sub_names).sort((a, b) => Number(a.slice(3)) - Number(b.slice(3))),
    filter = { 'f.campaign_id': [c.id] },
    compare = compares.value ? { compare: 'previous' } : {}
  const list = use(
    'GET /reports/performance',
    { ...windowQuery(), ...compare, ...filter, dimension: groupBy, sort: '-clicks', limit: 50 },
    30,
  )
  const trend = useTrend({ filter, campaign: c.id, of: c.name, every: 60 }),
    total = list.data?.totals,
    rows = list.data?.rows.filter(r => isCounted(r, columns))
  if (list.error && !list.data) return <LoadingCard of={list} height={236} />
  return (
    <div class="grid">
      <section class="card kpis" aria-label={t.overview.totals}>
        {totals.map(n => {
          const change = total && changeOf(n, total, total.compare ?? undefined, 1)
          return (
            <div key={n} class="kpi">
              <span>{figureName(n)}</span>
              <b>{total ? text(total, n) : '—'}</b>
              <small>
                {change?.text ? <span class={'delta ' + (change.tone === 'dim' ? 'soft' : change.tone)}>{change.text}</span> : '\u00a0'}
              </small>
            </div>
          )
        })}
      </section>
      <div class="grid cols">
        <section class="card">
          <header>
            <h2>{trend.title}</h2>
            <span class="grow" />
            {trend.tools}
            {trend.sheet}
          </header>
          {trend.body}
        </section>
        <Funnel id={c.id} />
      </div>
      <section class="card clip">
        <header>
          <Seg
            label={t.reports.group}
            value={groupBy}
            options={['stream_id', 'offer_id', 'lander_id', 'country', 'device_type'].map(d => ({ value: d, label: t.dimensions[d]! }))}
            on={setGroupBy}
          />
          {subs.length > 0 && (
            <Select
              label={t.clicks.subs}
              value={subs.includes(groupBy) ? groupBy : ''}
              options={[{ value: '', label: t.clicks.subs }, ...subs.map(value => ({ value, label: dimensionName(value, c.sub_names) }))]}
              on={v => setGroupBy(v || 'stream_id')}
            />
          )}
          <span class="grow" />
          <a href={to('/app/reports', { g: `${groupBy},country`, 'f.campaign_id': c.id })}>{t.campaigns.inReports}</a>
        </header>
        {rows?.length === 0 ? (
          <Empty title={t.reports.empty} />
        ) : (
          <div class="scroll" tabIndex={0} role="region" aria-label={t.overview.figuresRegion}>
            <table>
              <thead>
                <tr>
                  <th class="pad">{dimensionName(groupBy, c.sub_names)}</th>
                  {columns.map(n => (
                    <th key={n} class={n === 'clicks' || n === 'profit' ? '' : 'narrow-off'}>
                      {t.figures.names[n]}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows?.map(r => (
                  <tr key={r.dims[groupBy]}>
                    <td class="pad strong">
                      <span class="name">{valueText(groupBy, r.dims[groupBy]!, list.data!.labels)}</span>
                    </td>
                    {columns.map(n => (
                      <td
                        key={n}
                        class={
                          n === 'profit'
                            ? 'bold ' + (r.profit < 0 ? 'bad' : r.profit > 0 ? 'good' : '')
                            : n === 'clicks'
                              ? ''
                              : 'narrow-off'
                        }>
                        {n === 'profit' ? profit(r.profit) : text(r, n)}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      <CompareCard id={c.id} />
    </div>
  )
}

// Funnel shows how many clicks reached each step up to the approved conversion.
function Funnel({ id }: { id: string }) {
  const { data, error, again } = use('GET /campaigns/{id}/funnel', { days: Math.min(365, days(span.value.span)) }, 60, { id })
  const seen = data?.steps.some(s => s.key.startsWith('lp_') && s.count > 0),
    steps = data?.steps.filter(s => seen || !s.key.startsWith('lp_')) ?? [],
    most = Math.max(1, ...steps.map(s => s.count))
  return (
    <Card title={t.campaigns.funnel} note={data && t.campaigns.lastDays(data.days)}>
      {error && !data ? (
        <Failed error={error} again={again} />
      ) : (
        <div class="places funnel">
          {steps.map(s => (
            <div key={s.key} class="barline">
              <i style={`--share:${s.count / most}`} />
              <span>{t.campaigns.steps[s.key] ?? s.key.replace(/^goal:/, t.dimensions.goal + ' ')}</span>
              <span class="grow" />
              <b class="num">{count(s.count)}</b>
              <span class="dim num">{s.rate == null ? '' : percent(s.rate, 1)}</span>
            </div>
          ))}
        </div>
      )}
    </Card>
  )
}
