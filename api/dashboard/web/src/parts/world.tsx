import { useState } from 'preact/hooks'
import shapes from 'world-atlas/countries-50m.json'
import type { PerformanceRow } from '../api.gen.ts'
import { text, type Name } from '../core/figures.ts'
import { count, country } from '../core/format.ts'
import { setFilter } from '../core/report.ts'
import { strongest } from '../core/trend.ts'
import { w } from '../text/plots.ts'
import { Scale, toneOf } from './heat.tsx'

type Props = { rows: PerformanceRow[]; name: Name; label: string }

// World is a map of the countries, coloured by a figure.
export function World({ rows, name, label }: Props) {
  const [over, setOver] = useState('')
  const by = new Map(rows.map(r => [r.dims.country!, r])),
    most = strongest(rows.map(r => r[name])),
    low = rows.some(r => (r[name] ?? 0) < 0),
    unknown = by.get(''),
    away = rows.filter(r => r.dims.country && !shapes[r.dims.country!]).map(r => `${country(r.dims.country!)} ${text(r, name)}`),
    shown = by.get(over)
  const strength = (v: number | null) => (v && most ? Math.round(14 + Math.min(1, Math.abs(v) / most) * 58) : 0)
  return (
    <div class="world">
      <svg viewBox="0 0 760 332" role="img" aria-label={label} onMouseLeave={() => setOver('')}>
        {Object.entries(shapes).map(([code, d]) => {
          const row = code ? by.get(code) : undefined,
            v = row?.[name] ?? null
          return (
            <path
              key={code}
              d={d}
              class={(row ? 'has ' : '') + (code && code === over ? 'at' : '')}
              style={row && `--tone:var(${toneOf(name, v ?? 0)});--h:${strength(v)}%`}
              onMouseEnter={() => setOver(code)}
              onClick={row && (() => setFilter({ dimension: 'country', not: false, values: [code] }))}>
              {code && <title>{`${country(code)}: ${row ? text(row, name) : w.nothing}`}</title>}
            </path>
          )
        })}
      </svg>
      <div class="heatfoot dim">
        <span class="soft num">
          {over ? (
            <>
              {country(over)}: <b>{shown ? text(shown, name) : w.nothing}</b>
              {shown && name !== 'clicks' && ` · ${w.clicks(shown.clicks, count(shown.clicks))}`}
            </>
          ) : (
            [unknown && w.notOnMap(text(unknown, name)), ...away.slice(0, 4)].filter(Boolean).join(' · ') || '\u00a0'
          )}
        </span>
        <span class="grow" />
        <Scale most={most} low={low} name={name} />
      </div>
    </div>
  )
}
