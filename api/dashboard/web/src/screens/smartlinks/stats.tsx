import type { SmartlinkStats } from '../../api.gen.ts'
import { Loading } from '../../parts/state.tsx'
import { count, spanText } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { span } from '../../core/window.ts'
import { w } from '../../text/smartlinks.ts'

// Stats shows the clicks of a smartlink in the chosen days, by rule and by destination.
export function Stats({ id }: { id: string }) {
  const { data, error, again } = use('GET /short-links/{id}/stats', { from: span.value.from, to: span.value.to }, 30, { id })
  if (!data)
    return (
      <section class="part">
        <Loading of={{ error, again }} height={120} style="" />
      </section>
    )
  return (
    <section class="part linkstats">
      <div class="row wraps">
        <h2>{w.stats}</h2>
        <span class="dim fine">{spanText(span.value.span)}</span>
        <span class="grow" />
        <b class="num">{w.total(data.clicks, count(data.clicks))}</b>
        {data.bot_clicks > 0 && <span class="dim num">{w.bots(count(data.bot_clicks))}</span>}
      </div>
      {data.clicks + data.bot_clicks === 0 ? (
        <p class="dim">{w.noClicks}</p>
      ) : (
        <div class="grid pair">
          <Bars title={w.byRule} rows={rulesOf(data)} of={data.clicks} />
          <Bars
            title={w.byDestination}
            rows={data.destinations.map(d => ({ name: d.destination_url, clicks: d.clicks }))}
            of={data.clicks}
          />
        </div>
      )}
    </section>
  )
}

const rulesOf = (s: SmartlinkStats) =>
  s.rules.map((r, i) => ({
    name: r.rule_id === null ? w.noRule : r.name || (i < s.rules.findIndex(o => o.rule_id === null) ? w.ruleOf(i + 1, '') : w.goneRule),
    clicks: r.clicks,
  }))

const Bars = ({ title, rows, of }: { title: string; rows: { name: string; clicks: number }[]; of: number }) => (
  <div>
    <h3 class="label">{title}</h3>
    <ul class="places">
      {rows.map((r, i) => (
        <li key={i} class="barline">
          <i style={`--share:${of ? r.clicks / of : 0}`} />
          <span class="cut" title={r.name}>
            {r.name}
          </span>
          <span class="grow" />
          <b class="num">{count(r.clicks)}</b>
        </li>
      ))}
    </ul>
  </div>
)
