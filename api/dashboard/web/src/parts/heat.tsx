import { useState } from 'preact/hooks'
import type { FigureRow } from '../api.gen.ts'
import { figures, text, type Name } from '../core/figures.ts'
import { count, locale, tick } from '../core/format.ts'
import { zone } from '../core/me.ts'
import { t } from '../core/text.ts'
import { strongest, type Heat } from '../core/trend.ts'
import { w } from '../text/plots.ts'

type Props = { heat: Heat; was?: Heat; name: Name; label: string; asTable: boolean }

const hours = Array.from({ length: 24 }, (_, h) => h),
  few = 30 // number of clicks; the value of a cell with fewer clicks may be due to chance
const hourText = (h: number) => String(h).padStart(2, '0') + ':00'
const short = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' })
const weekday = (d: number) => short.format(Date.UTC(2024, 0, 1 + d)) // the first of January 2024 was a Monday

// toneOf returns the colour of a value: green or red for profit and ROI, red for figures that should be low, and one colour for all
// others.
export const toneOf = (name: Name, v: number) =>
  name === 'profit' || name === 'roi' ? (v < 0 ? '--bad' : '--s-revenue') : figures[name].good < 0 ? '--bad' : '--s-clicks'

// HeatMap shows a figure for each hour of the week, for each weekday, for each hour of the day and for all of them together.
export function HeatMap({ heat, was, name, label, asTable }: Props) {
  const [over, setOver] = useState<[number, number] | null>(null)
  const most = strongest(heat.cells.flat().map(r => r[name])),
    values = heat.cells.flat().map(r => r[name] ?? 0)
  const cell = (row: FigureRow, d: number, h: number) => {
    const v = row[name],
      share = v && most ? Math.min(1, Math.abs(v) / most) : 0,
      title = `${w.cell(t.weekdays[d + 1]!, hourText(h))}: ${text(row, name)}`
    return (
      <td
        key={h}
        class={(v ?? 0) < 0 ? 'neg' : ''}
        title={asTable ? undefined : title}
        style={asTable ? undefined : `--tone:var(${toneOf(name, v ?? 0)});--h:${share ? Math.round(10 + share * 62) : 0}%`}
        onMouseEnter={() => setOver([d, h])}>
        <span class={asTable ? '' : 'hidden'}>{text(row, name)}</span>
      </td>
    )
  }
  return (
    <div class="heatbox">
      <div class="scroll" tabIndex={0} role="region" aria-label={label} onMouseLeave={() => setOver(null)}>
        <table class={'heatmap' + (asTable ? ' values' : '')}>
          <caption class="hidden">{label}</caption>
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">{w.weekday}</span>
              </th>
              {hours.map(h => (
                <th key={h} scope="col">
                  <span class={asTable || h % 3 === 0 ? '' : 'hidden'}>{String(h).padStart(2, '0')}</span>
                </th>
              ))}
              <th scope="col">{w.all}</th>
            </tr>
          </thead>
          <tbody>
            {heat.cells.map((row, d) => (
              <tr key={d}>
                <th scope="row">{weekday(d)}</th>
                {row.map((r, h) => cell(r, d, h))}
                <td class="sum">{text(heat.weekdays[d]!, name)}</td>
              </tr>
            ))}
            <tr>
              <th scope="row">{w.all}</th>
              {heat.hours.map((r, h) => (
                <td key={h} class="sum" title={`${hourText(h)}: ${text(r, name)}`}>
                  <span class={asTable ? '' : 'hidden'}>{text(r, name)}</span>
                  {!asTable && <Bar value={r[name]} most={Math.max(1e-9, ...heat.hours.map(o => Math.abs(o[name] ?? 0)))} name={name} />}
                </td>
              ))}
              <td class="sum">
                <b>{text(heat.total, name)}</b>
              </td>
            </tr>
          </tbody>
        </table>
      </div>
      <div class="heatfoot dim">
        <Told heat={heat} was={was} name={name} over={over} />
        <span class="grow" />
        <Scale most={most} low={Math.min(0, ...values) < 0} name={name} />
      </div>
    </div>
  )
}

// Bar shows the figure of an hour of the day below its column.
const Bar = ({ value, most, name }: { value: number | null; most: number; name: Name }) => (
  <i style={`--tone:var(${toneOf(name, value ?? 0)});height:${Math.round((Math.abs(value ?? 0) / most) * 22)}px`} />
)

// Told shows the figures of the hour under the pointer or, without a pointer, the time zone of the hours.
function Told({ heat, was, name, over }: { heat: Heat; was?: Heat; name: Name; over: [number, number] | null }) {
  if (!over)
    return (
      <span>
        {w.heatZone(zone.value)}. {w.hover}
      </span>
    )
  const [d, h] = over,
    row = heat.cells[d]![h]!,
    before = was?.cells[d]?.[h]
  return (
    <span class="soft num">
      {w.cell(t.weekdays[d + 1]!, hourText(h))}: <b>{text(row, name)}</b>
      {before && ` (${w.was(text(before, name))})`}
      {name !== 'clicks' && ` · ${w.clicks(row.clicks, count(row.clicks))}`}
      {row.clicks > 0 && row.clicks < few && ` · ${w.few}`}
    </span>
  )
}

export function Scale({ most, low, name }: { most: number; low: boolean; name: Name }) {
  if (!most) return null
  const { kind } = figures[name]
  return (
    <span class="heatscale num" role="img" aria-label={w.scale(tick(low ? -most : 0, kind), tick(most, kind))}>
      {low && (
        <>
          {tick(-most, kind)}
          <i style={`--tone:var(${toneOf(name, -1)})`} class="neg" />
        </>
      )}
      {tick(0, kind)}
      <i style={`--tone:var(${toneOf(name, 1)})`} />
      {tick(most, kind)}
    </span>
  )
}
