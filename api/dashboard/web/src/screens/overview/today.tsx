import { useMemo, useState } from 'preact/hooks'
import type { CapRow } from '../../api.gen.ts'
import { figureName, figures, names, type Name } from '../../core/figures.ts'
import { formatted } from '../../core/format.ts'
import { zone } from '../../core/me.ts'
import { use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { courseOf, usualDays } from '../../core/trend.ts'
import { midnight, plus, stamp, today } from '../../core/window.ts'
import { TableSwitch } from '../../parts/button.tsx'
import { CapUse, useCaps } from '../../parts/caps.tsx'
import { Card } from '../../parts/card.tsx'
import { Select } from '../../parts/form.tsx'
import { AsTable, Legend, Plot, type Series } from '../../parts/plot.tsx'
import { w } from '../../text/plots.ts'

const summed = names.filter(n => ['profit', 'revenue', 'cost', 'clicks', 'conversions'].includes(n))

// Today compares the day so far with a usual day, and shows how much of each daily cap is used.
export function Today() {
  const caps = useCaps()
  return (
    <div class="grid">
      <Course />
      {caps.length > 0 && <Caps of={caps} />}
    </div>
  )
}

// Course shows a figure of today, added up from midnight in the account's time zone, and the median of the days before.
function Course() {
  const [name, setName] = useState<Name>('profit'),
    [asTable, setAsTable] = useState(false)
  const tz = zone.value,
    day = today(tz),
    start = midnight(plus(day, -usualDays), tz),
    end = midnight(plus(day, 1), tz)
  const { data } = use('GET /reports/trends', { from: stamp(start), to: stamp(end - 1000), tz, bucket: 'hour' }, 60)
  const course = useMemo(() => data && courseOf(data.rows, name, tz, Date.now()), [data, name, tz])
  const plot = useMemo(() => {
    if (!course) return null
    const { kind } = figures[name]
    const series: Series[] = [
      { name: w.todayLine, kind, colour: name === 'cost' ? '--s-cost' : '--s-revenue', values: course.today, fill: true },
      ...(course.usualNow === null ? [] : [{ name: w.usual, kind, colour: '--text-3', values: course.usual, dash: true }]),
    ]
    return { times: course.times, series }
  }, [course, name])
  if (!course || !plot || !data?.rows.some(r => r.clicks || r.cost)) return null
  const { kind } = figures[name],
    now = formatted(course.now, kind),
    usually = course.usualNow === null ? w.noUsual : w.usually(formatted(course.usualNow, kind))
  const ahead = course.usualNow === null || !figures[name].good ? '' : course.now >= course.usualNow ? ' good' : ' bad'
  return (
    <section class="card">
      <header>
        <h2>{w.today}</h2>
        <Legend of={plot.series} />
        <span class="grow" />
        <Select label={w.figure} value={name} options={summed.map(value => ({ value, label: figureName(value) }))} on={setName} />
        <TableSwitch on={asTable} set={setAsTable} />
      </header>
      <p class="part row wraps">
        <b class={'big num' + ahead}>{now}</b>
        <span class="dim num" title={w.usualNote(usualDays)}>
          {usually}
        </span>
      </p>
      <div class="plotpad">
        {asTable ? (
          <AsTable label={w.todayOf(figureName(name))} {...plot} hours />
        ) : (
          <Plot label={`${w.todayOf(figureName(name))}: ${now}, ${usually}`} {...plot} hours />
        )}
      </div>
    </section>
  )
}

const mostCaps = 6

// Caps shows the offers and paths with a daily cap, the fullest first, at most `mostCaps` of them.
const Caps = ({ of }: { of: CapRow[] }) => (
  <Card title={w.caps}>
    <ul class="list caps">
      {of.slice(0, mostCaps).map(c => (
        <Cap key={c.kind + c.id} of={c} />
      ))}
      {of.length > mostCaps && (
        <li>
          <span class="dim">{w.more(of.length - mostCaps)}</span>
        </li>
      )}
    </ul>
  </Card>
)

function Cap({ of: c }: { of: CapRow }) {
  const name = c.campaign_name === null ? c.name : `${c.campaign_name} · ${c.name}`,
    link = c.campaign_id === null ? to('/app/offers', { id: c.id }) : to(`/app/campaigns/${c.campaign_id}/flow`)
  return (
    <li>
      <CapUse
        of={c}
        name={
          <a class="t cut" href={link} title={`${w.capKinds[c.kind]} ${name}`}>
            {name}
          </a>
        }
      />
    </li>
  )
}
